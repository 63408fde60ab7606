//! `ralph plan --write-back`: where the tasks stand, told to where the plan came from.

use ralph_core::{ids::TaskId, plan::formats::source::Source};
use ralph_engine::project_file;

use super::{import, origin};
use crate::{
    cli::init::folder::{self, Existing},
    context::{Context, Entry, Line, Sign},
    diagnostics::CommandError,
    exit,
    session::plan_status::{self, PlanStatus},
    words,
};

/// Runs `ralph plan --write-back`.
pub(super) fn exec(context: &Context) -> Result<u8, CommandError> {
    let standing = PlanStatus::find(&context.project_dir)?;
    let Some(source) = Source::of(&standing.plan) else {
        let what = "the plan was not imported, so there is nowhere to write back to";
        let help = "ralph plan --export writes it in another format";
        return Err(CommandError::usage(what, help));
    };
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
            None if format.render.is_some() => {
                "the plan came from standard input, so there is no file to write back to".into()
            }
            _ => format!("ralph cannot write statuses back into {}", source.format),
        };
        let help = match format.render {
            Some(_) => format!("ralph plan --export {} FILE writes the whole plan", source.format),
            None => {
                "close the issues with gh issue close; ralph task list shows what is done".into()
            }
        };
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
