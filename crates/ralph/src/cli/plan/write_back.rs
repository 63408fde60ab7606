//! `ralph plan --write-back`: where the tasks stand, told to where the plan came from.

use std::collections::BTreeMap;

use ralph_core::{
    ids::TaskId,
    plan::{
        Plan, Status,
        formats::{issue_number, source::Source},
    },
};
use ralph_engine::project_file;

use super::{gh, import, origin};
use crate::{
    args::plan::PlanArgs,
    cli::init::folder::{self, Existing},
    context::{Context, Entry, Line, Sign, Tone},
    diagnostics::CommandError,
    exit,
    session::plan_status::{self, PlanStatus},
    words,
};

/// What an issue is closed with.
const COMMENT: &str = "The task that ralph made from this issue is done.";

/// Runs `ralph plan --write-back`.
pub(super) fn exec(args: &PlanArgs, context: &Context) -> Result<u8, CommandError> {
    let standing = PlanStatus::find(&context.project_dir)?;
    let Some(source) = Source::of(&standing.plan) else {
        let what = "the plan was not imported, so there is nowhere to write back to";
        let help = "ralph plan --export writes it in another format";
        return Err(CommandError::usage(what, help));
    };
    if source.format == "github" {
        return close_issues(&standing, args, context);
    }
    plan_status::check_free(&standing.layout)?;
    write_file(&standing, &source, context)
}

fn write_file(
    standing: &PlanStatus,
    source: &Source,
    context: &Context,
) -> Result<u8, CommandError> {
    let format = origin::named(&source.format)?;
    let (Some(write_back), Some(path)) = (format.write_back, &source.path) else {
        let what = match source.path {
            None => {
                "the plan came from standard input, so there is no file to write back to".into()
            }
            Some(_) => format!("ralph cannot write statuses back into {}", source.format),
        };
        let help = format!("ralph plan --export {} FILE writes the whole plan", source.format);
        return Err(CommandError::usage(what, help));
    };
    let path = import::root(&standing.layout).join(path);
    let path = project_file::place(&path).map_err(CommandError::file("read", &path))?;
    let text = project_file::text(&path, project_file::LARGEST)
        .map_err(CommandError::file("read", &path))?;
    let written = write_back(&text, &standing.plan).map_err(|error| {
        let what = format!("{}: {error}", path.display());
        CommandError::usage(what, error.help.clone())
    })?;
    if written.text != text {
        folder::write(&path, &written.text, Existing::Replace)?;
    }
    let name = source.name();
    let text = match written.changed.as_slice() {
        [] => format!("{name} is already up to date"),
        changed => format!("{name} is updated for {}", words::few(&names(changed), 20)),
    };
    let mut entries = vec![Entry::led(Line::signed(Sign::Ok), text)];
    if !written.missing.is_empty() {
        let missing = words::few(&names(&written.missing), 20);
        let text = format!("it has no entry for {missing}");
        entries.push(Entry::led(Line::signed(Sign::Warning), text));
    }
    context.tell(&entries)?;
    Ok(exit::DONE)
}

fn names(ids: &[TaskId]) -> Vec<String> {
    ids.iter().map(|id| id.0.clone()).collect()
}

/// Closes the open issues of tasks that are done, once a person agrees.
fn close_issues(
    standing: &PlanStatus,
    args: &PlanArgs,
    context: &Context,
) -> Result<u8, CommandError> {
    let root = import::root(&standing.layout);
    let open = open_issues(&gh::open_numbers(root)?)?;
    let done = done_issues(&standing.plan, &open);
    if done.is_empty() {
        let text = "no open issue belongs to a finished task";
        context.done(text)?;
        return Ok(exit::DONE);
    }
    let lines = done.iter().map(|(number, title)| format!("#{number} {title}"));
    let lines: Vec<Entry> = lines.map(|line| Entry::text(2, Tone::Plain, line)).collect();
    context.tell(&lines)?;
    let question = format!("Close {} on GitHub?", words::count_of(&done, "issue"));
    if !context.agrees(args.yes, &question)? {
        return Ok(exit::DONE);
    }
    for (number, _) in &done {
        gh::close(*number, COMMENT, root)?;
        let text = format!("closed #{number}");
        context.done(text)?;
    }
    Ok(exit::DONE)
}

#[derive(serde::Deserialize)]
struct OpenIssue {
    number: u64,
    title: String,
}

fn open_issues(text: &str) -> Result<BTreeMap<u64, String>, CommandError> {
    let issues: Vec<OpenIssue> = serde_json::from_str(text).map_err(|error| {
        let help = "gh --version shows its version; a newer one may be needed";
        let what = "gh did not answer with a list of issues";
        CommandError::usage(what, help).because(vec![error.to_string()])
    })?;
    Ok(issues.into_iter().map(|issue| (issue.number, issue.title)).collect())
}

/// Numbers and titles of open issues whose task is done.
fn done_issues(plan: &Plan, open: &BTreeMap<u64, String>) -> Vec<(u64, String)> {
    let done = plan.tasks.iter().filter(|task| task.status == Status::Done);
    let numbers = done.filter_map(|task| issue_number(&task.id));
    numbers.filter_map(|number| Some((number, open.get(&number)?.clone()))).collect()
}
