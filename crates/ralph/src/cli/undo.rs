//! `ralph undo N`: goes back to before an iteration of the last run.

use ralph_core::{event::Event, ids::CommitId};
use ralph_engine::{clock, journal::Lock};

use crate::command_line::{args::UndoArgs, context::Context};
use crate::session::{
    launch::last_run,
    place::Place,
    project::{Project, told, told_failure},
};
use crate::{
    diagnostics::CommandError,
    exit,
    reporters::{
        block::Entry,
        line::{Line, Sign},
    },
};

/// Runs `ralph undo`.
pub(crate) fn exec(args: &UndoArgs, context: &Context) -> Result<u8, CommandError> {
    let project = Project::open(context, &[])?;
    let lock = Lock::take(&project.layout.lock(), clock::now()).map_err(|error| {
        let help = "wait for the run to end, or ralph stop".into();
        told(error.to_string(), Vec::new(), help, exit::LOCKED)
    })?;
    let run = last_run(&project)?;
    let place = Place { layout: project.layout.clone() };
    let mut before: Option<CommitId> = None;
    let mut found = None;
    place.decisions(&run, |decision| {
        for event in &decision.events {
            match event {
                Event::WorkspaceOpened(workspace) if before.is_none() => {
                    before = Some(workspace.head.clone());
                }
                Event::Committed { iteration, commit, .. } => {
                    if *iteration >= args.iteration && found.is_none() {
                        found.clone_from(&before);
                    }
                    before = Some(commit.clone());
                }
                _ => {}
            }
        }
    })?;
    let Some(commit) = found else {
        return Err(told(
            format!("run {run} accepted nothing in iteration {} or later", args.iteration),
            Vec::new(),
            "ralph replay shows what each iteration did".into(),
            exit::USAGE,
        ));
    };
    let time = clock::now().0.to_string();
    let undone =
        project.repository.undo_to(&commit, &time).map_err(|error| told_failure(error.into()))?;
    let kept = undone.kept.map(|name| format!("; what was there is kept as {name}"));
    let text =
        format!("{} is back at {}{}", undone.branch, undone.to.short(), kept.unwrap_or_default());
    context.tell(&[Entry::led(Line::signed(Sign::Ok), text)])?;
    lock.release()?;
    Ok(exit::DONE)
}
