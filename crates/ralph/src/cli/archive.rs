//! `ralph archive`: puts a plan and what belongs to it away, with a summary, and leaves a fresh state.

use std::path::Path;

use ralph_core::{
    event::Source,
    ids::RunId,
    next_command::Work,
    plan::{Plan, formats::plan_json},
    report::{Archived, Report, markdown, summary},
    settings::Settings,
};
use ralph_engine::{
    archive::{self, Intent},
    clock,
    git::{GitError, Repository, Screen},
    journal,
    layout::Layout,
    project_file, runs,
};
use serde_json::json;

use crate::{
    args::commands::ArchiveArgs,
    ask::Lean,
    context::{Context, Entry, Line, Sign, answer_json},
    diagnostics::CommandError,
    exit,
    session::{
        plan_status,
        run_store::{RunStore, redactor},
        situation,
    },
    words,
};

/// Files that are written into the archive, by name.
type Beside = Vec<(&'static str, String)>;

/// Longest label in characters.
const LABEL: usize = 60;

/// Runs `ralph archive`.
pub(crate) fn exec(args: &ArchiveArgs, context: &Context) -> Result<u8, CommandError> {
    let place = RunStore::find(&context.project_dir)?;
    let layout = &place.layout;
    let lock = plan_status::lock(layout, "wait for the run to end, or stop it with ralph stop")?;
    let failed = CommandError::file("write", &layout.archive());
    let repository = repository(layout)?;
    if let Some(intent) = archive::unfinished(layout).map_err(&failed)? {
        let said = "finished an archive that was interrupted: ";
        finish(layout, &repository, (&intent, said), context)?;
        lock.release()?;
        return Ok(exit::DONE);
    }
    if let Some(state) = plan_status::newest(layout)? {
        plan_status::check_ended(&state)?;
    }
    let files = archive::belongings(layout).map_err(&failed)?;
    if files.is_empty() {
        let help = "start a plan with ralph plan \"what you want\"";
        return Err(CommandError::usage("there is nothing to archive", help));
    }
    let plan = plan(layout);
    if !may_go(&plan, args, context)? {
        context.note("nothing was moved")?;
        return Ok(exit::DONE);
    }
    let past = past(&place)?;
    let unmerged = past.reports.last().and_then(|report| unmerged(report, context));
    let (intent, beside) = prepare(layout, &repository, (files, &plan, past), args);
    archive::begin(layout, &intent, &beside).map_err(&failed)?;
    finish(layout, &repository, (&intent, ""), context)?;
    if let Some(text) = unmerged {
        context.warn(text)?;
    }
    lock.release()?;
    Ok(exit::DONE)
}

/// The main worktree's repository: that is where `.ralph` is.
fn repository(layout: &Layout) -> Result<Repository, CommandError> {
    let root = layout.views().parent().unwrap_or(Path::new("."));
    let screen = Screen::new(redactor(&Settings::default()), &[]);
    let repository = Repository::discover(root)?;
    Ok(repository.with_secrets(screen))
}

/// The plan as its file has it; one that cannot be read is put away all the same.
fn plan(layout: &Layout) -> Plan {
    let text = project_file::text(&layout.plan(), project_file::LARGEST).unwrap_or_default();
    plan_json::parse(&text).unwrap_or_default()
}

fn may_go(plan: &Plan, args: &ArchiveArgs, context: &Context) -> Result<bool, CommandError> {
    let open = plan.open_tasks();
    if open == 0 || args.yes {
        return Ok(true);
    }
    let (tasks, are) = (words::count(open as u64, "task"), if open == 1 { "is" } else { "are" });
    if context.can_ask() {
        let question = format!("{tasks} {are} not finished. Archive the plan anyway?");
        return context.asker()?.confirm(&question, Lean::No);
    }
    let help = "ralph run works on them; ralph archive --yes archives the plan anyway";
    Err(CommandError::usage(format!("{tasks} {are} not finished"), help))
}

/// What is to be done, and what is written beside the files.
fn prepare(
    layout: &Layout,
    repository: &Repository,
    (files, plan, past): (Vec<String>, &Plan, Past),
    args: &ArchiveArgs,
) -> (Intent, Beside) {
    let Past { newest, reports, settings } = past;
    let redactor = redactor(&settings);
    let date = clock::now().to_string().chars().take(10).collect::<String>();
    let branch = reports.last().map_or(&plan.branch, |report| &report.branch);
    let label = args.label.as_ref().or(Some(branch)).filter(|label| !label.is_empty()).cloned();
    let label = label.unwrap_or_else(|| name(plan, layout));
    let label = tame(&redactor.text(&label));
    let folder = archive::free_folder(layout, &format!("{date}-{label}"));
    let is_tracked = files.iter().any(|file| repository.tracks(&layout.views().join(file)));
    let done = plan.tasks.len() - plan.open_tasks();
    let message = format!("ralph: archive {folder}\n\n{done} of {} tasks done\n", plan.tasks.len());
    let mut beside = vec![("summary.md", summary(&Archived { plan, runs: &reports, date: &date }))];
    if let Some(report) = reports.last() {
        beside.push(("report.md", markdown(report)));
        beside.push(("report.json", serde_json::to_string_pretty(report).unwrap_or_default()));
    }
    for (_, text) in &mut beside {
        *text = redactor.text(text).into_owned();
    }
    let message = is_tracked.then_some(message);
    let project = name(plan, layout);
    (Intent { folder, project, files, run: newest, message }, beside)
}

/// The newest run, what each run of this plan came to, oldest first, and the settings of the last of them.
#[derive(Default)]
struct Past {
    newest: Option<RunId>,
    reports: Vec<Report>,
    settings: Settings,
}

fn past(place: &RunStore) -> Result<Past, CommandError> {
    let runs = runs::all(&place.layout);
    let last = archive::last_archived(&place.layout);
    let mut past = Past { newest: runs.last().cloned(), ..Past::default() };
    for run in runs.iter().filter(|run| last.as_ref().is_none_or(|last| *run > last)) {
        match journal::recover(&place.layout.journal(run)) {
            Ok(found) if !matches!(found.state.start.source, Source::Prompt { .. }) => {
                past.reports.push(Report::of(&found.state));
                past.settings = found.state.start.settings;
            }
            Ok(_) | Err(journal::JournalError::Empty { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(past)
}

/// What a person must still do about the work itself.
fn unmerged(report: &Report, context: &Context) -> Option<String> {
    let Report { branch, came_from, .. } = report;
    let is_apart = !came_from.is_empty() && came_from != branch;
    let is_ahead = Repository::discover(&context.project_dir)
        .and_then(|repository| repository.is_ahead(branch, came_from));
    (is_apart && matches!(is_ahead, Ok(true))).then(|| {
        format!("branch {branch} is not merged into {came_from}: git switch {came_from} && git merge {branch}")
    })
}

/// Does what is left to do, and says what was done.
fn finish(
    layout: &Layout,
    repository: &Repository,
    (intent, said): (&Intent, &str),
    context: &Context,
) -> Result<(), CommandError> {
    let failed = CommandError::file("write", &layout.archive());
    let stays = archive::clear(layout, intent).map_err(&failed)?;
    let commit = match &intent.message {
        None => "nothing was committed because git does not track the plan".to_owned(),
        Some(message) => match repository.commit_paths(&archive::paths(intent), message) {
            Ok(Some(commit)) => format!("committed as {}", commit.short()),
            Ok(None) => "everything is already committed".to_owned(),
            Err(error) => not_committed(&error),
        },
    };
    archive::end(layout).map_err(&failed)?;
    let text = format!(
        "{said}{} moved to .ralph/archive/{}, with summary.md; {commit}",
        words::count(intent.files.len() as u64, "file"),
        intent.folder
    );
    let mut block = vec![Entry::led(Line::signed(Sign::Ok), text)];
    if !stays.is_empty() {
        let text =
            format!("changed in the meantime, so both copies were kept: {}", words::few(&stays, 5));
        block.push(Entry::led(Line::signed(Sign::Warning), text));
    }
    let root = layout.views().parent().unwrap_or(Path::new("."));
    block.push(situation::next_line(Work::Archived, situation::of_folder(root)));
    if context.json {
        let folder = format!(".ralph/archive/{}", intent.folder);
        answer_json(&json!({
            "v": 1, "folder": folder, "files": intent.files, "run": intent.run, "kept_twice": stays,
        }))?;
    }
    context.tell(&block)
}

fn not_committed(error: &GitError) -> String {
    format!("nothing was committed: {error} ({})", error.help())
}

/// What the work belongs to: the plan's own word, else the folder's name.
fn name(plan: &Plan, layout: &Layout) -> String {
    let folder = || {
        let root = layout.views().parent().and_then(Path::file_name).unwrap_or_default();
        root.to_string_lossy().into_owned()
    };
    if plan.project.is_empty() { folder() } else { plan.project.clone() }
}

/// A label as part of a file's name.
fn tame(label: &str) -> String {
    let word = |c: char| if c.is_alphanumeric() || c == '_' || c == '.' { c } else { '-' };
    let text: String = label.chars().map(word).take(LABEL).collect();
    let text = text.trim_matches(['-', '.']);
    if text.is_empty() { "plan".into() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_becomes_one_name_of_a_folder() {
        for (label, name) in [
            ("ralph/login", "ralph-login"),
            ("../../etc", "etc"),
            ("  ", "plan"),
            ("v1.2 done", "v1.2-done"),
            ("größe", "größe"),
        ] {
            assert_eq!(tame(label), name, "{label}");
        }
        assert!(tame(&"x".repeat(500)).len() <= LABEL);
    }
}
