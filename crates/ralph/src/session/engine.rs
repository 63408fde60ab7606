//! The border to the engine: what a run is given, and the exit code of how it ended. Starts nothing.

use std::ffi::OsString;

use ralph_core::outcome::Outcome;
use ralph_engine::{
    DriveError,
    journal::{Lock, LockError},
    layout::Layout,
    ports::Publish,
    run::{RunError, Site},
    sandbox::Enclosure,
};

use super::{plan_commit::PlanCommit, project::Project};
use crate::{context::Context, diagnostics::CommandError, exit};

/// Where and how a run works; variables of ralph's own are not handed on.
pub(super) fn site(project: Project, publish: Publish, enclosure: Enclosure) -> Site {
    let ours = |name: &OsString| name.to_string_lossy().starts_with("RALPH_");
    Site {
        enclosure,
        state_home: Project::state_home(),
        environment: std::env::vars_os().filter(|(name, _)| !ours(name)).collect(),
        publish,
        repository: project.repository,
        layout: project.layout,
        share: None,
    }
}

/// The exit code of a run, or why it did not come to an outcome.
pub(super) fn code(
    ended: Result<Outcome, RunError>,
    ok_on_limit: bool,
) -> Result<u8, CommandError> {
    match ended {
        Ok(Outcome::Limit { .. }) if ok_on_limit => Ok(exit::DONE),
        Ok(outcome) => Ok(outcome.exit_code()),
        Err(RunError::Drive(DriveError::Abandoned)) => Ok(exit::INTERRUPTED),
        Err(RunError::Drive(DriveError::Left)) => Ok(exit::DONE),
        Err(RunError::Lock(error)) => Err(held(&error)),
        Err(RunError::Journal(error) | RunError::Drive(DriveError::Journal(error))) => {
            Err(error.into())
        }
        Err(RunError::Git(error)) => Err(error.into()),
        Err(RunError::Io(error)) => Err(CommandError::new(
            exit::WORKSPACE,
            format!("cannot prepare the run: {error}"),
            "check the disk, HOME, and the permissions of .git/ralph and .ralph, then try again",
        )),
    }
}

/// The exit code of a run that was shown, after the commit it ends with. One that another process goes on with has not
/// ended.
pub(super) fn closed(
    ended: Result<Outcome, RunError>,
    ok_on_limit: bool,
    (plan, context): (Option<PlanCommit>, &Context),
) -> Result<u8, CommandError> {
    let has_ended = !matches!(ended, Err(RunError::Drive(DriveError::Left)));
    let code = code(ended, ok_on_limit)?;
    plan.filter(|_| has_ended).map_or(Ok(()), |commit| commit.make(context))?;
    Ok(code)
}

/// A run that somebody works on was not interrupted, and nothing else can be said about it.
pub(super) fn check_nobody_works(layout: &Layout) -> Result<(), CommandError> {
    match Lock::peek(&layout.lock()) {
        Some(owner) => Err(held(&LockError::Held { owner: Some(owner) })),
        None => Ok(()),
    }
}

/// Why a run cannot begin while the lock is held.
pub(super) fn held(error: &LockError) -> CommandError {
    let help = match error {
        LockError::Held { .. } => "wait for it, or stop it with ralph stop (--now: at once)",
        LockError::OtherHost { .. } => "make sure no ralph runs there, then remove .git/ralph/lock",
        LockError::Io(_) => "check the disk and the permissions of .git/ralph",
    };
    CommandError::new(exit::LOCKED, error.to_string(), help)
}
