//! `ralph pause [--now]` and `ralph resume`.

use ralph_core::{
    ids::RunId,
    input::Wish,
    run::{Phase, RunState},
};
use ralph_engine::{
    inbox,
    journal::{Lock, Owner},
    layout::Layout,
};

use super::steer::put;
use crate::{
    args::{commands::PauseArgs, run::ResumeArgs},
    context::Context,
    diagnostics::CommandError,
    exit,
    session::{plan_status::newest, resume, run_store::RunStore},
};

/// How far a run's pause is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Paused,
    /// Once the iteration is over.
    Wanted,
    No,
}

/// Runs `ralph pause`.
pub(crate) fn exec(args: &PauseArgs, context: &Context) -> Result<u8, CommandError> {
    let layout = RunStore::find(&context.project_dir)?.layout;
    context.done(pause(&layout, args.now)?)?;
    Ok(exit::DONE)
}

/// Pauses the run that is active; tells when it does.
fn pause(layout: &Layout, is_now: bool) -> Result<String, CommandError> {
    let (owner, run) = running(layout).ok_or_else(nothing_runs)?;
    let state = state_of(layout, &run)?;
    if state.as_ref().is_some_and(|state| state.stop.is_some()) {
        let what = format!("run {run} is already stopping");
        let help = "use ralph resume once it has stopped";
        return Err(CommandError::usage(what, help));
    }
    let pid = owner.pid;
    Ok(match standing(layout, state.as_ref())? {
        Standing::Paused => format!("run {run} (pid {pid}) is already paused"),
        Standing::Wanted if !is_now => {
            format!("run {run} (pid {pid}) already pauses after this iteration")
        }
        Standing::Wanted | Standing::No => {
            put(layout, &Wish::Pause { now: is_now })?;
            let when = if is_now { "pauses now" } else { "pauses after this iteration" };
            format!("run {run} (pid {pid}) {when}; continue it with ralph resume")
        }
    })
}

/// Pauses the active run, or lets it continue if it is paused or about to be.
pub(crate) fn switch(layout: &Layout) -> Result<String, CommandError> {
    let (owner, run) = running(layout).ok_or_else(nothing_runs)?;
    match standing(layout, state_of(layout, &run)?.as_ref())? {
        Standing::No => pause(layout, false),
        Standing::Paused | Standing::Wanted => go_on(layout, (&owner, &run)),
    }
}

fn go_on(layout: &Layout, (owner, run): (&Owner, &RunId)) -> Result<String, CommandError> {
    put(layout, &Wish::Resume)?;
    Ok(format!("run {run} (pid {}) continues", owner.pid))
}

/// Runs `ralph resume`: a paused run continues, an interrupted one is resumed.
pub(crate) fn resume(args: &ResumeArgs, context: &Context) -> Result<u8, CommandError> {
    match unpause(args, context)? {
        Some(code) => Ok(code),
        None => resume::resume(args, context),
    }
}

/// What `ralph resume` does about a run that a process works on; `None` if none does.
fn unpause(args: &ResumeArgs, context: &Context) -> Result<Option<u8>, CommandError> {
    let layout = RunStore::find(&context.project_dir)?.layout;
    let Some((owner, run)) = running(&layout) else {
        return Ok(None);
    };
    if args.run.as_ref().is_some_and(|named| *named != run.0) {
        let what =
            format!("run {run} (pid {}) is active, and only one run can be active here", owner.pid);
        let help = "stop it with ralph stop, then resume the other one";
        return Err(CommandError::new(exit::LOCKED, what, help));
    }
    if standing(&layout, state_of(&layout, &run)?.as_ref())? == Standing::No {
        let what = format!("run {run} (pid {}) is active and not paused", owner.pid);
        let help = "ralph status shows its progress; ralph stop ends it";
        return Err(CommandError::new(exit::LOCKED, what, help));
    }
    let options = &args.options;
    let changes = !options.flags()?.is_empty() || options.iterations(None)?.is_some();
    if changes || options.reload_settings || options.ok_on_limit {
        let what =
            format!("run {run} is only paused; it continues with the settings it started with");
        let help =
            "use ralph resume without flags; or ralph stop first, then ralph resume with them";
        return Err(CommandError::usage(what, help));
    }
    context.done(go_on(&layout, (&owner, &run))?)?;
    Ok(Some(exit::DONE))
}

/// What to say where a run was expected.
pub(crate) fn nothing_runs() -> CommandError {
    let help = "ralph status shows the latest run; ralph resume continues it";
    CommandError::usage("no run is active here", help)
}

/// The process that works here, and its run.
fn running(layout: &Layout) -> Option<(Owner, RunId)> {
    let owner = Lock::peek(&layout.lock())?;
    let run = owner.run.clone()?;
    Some((owner, run))
}

fn state_of(layout: &Layout, run: &RunId) -> Result<Option<RunState>, CommandError> {
    Ok(newest(layout)?.filter(|state| state.run == *run))
}

/// What the run has decided, and what it has not read yet.
fn standing(layout: &Layout, state: Option<&RunState>) -> Result<Standing, CommandError> {
    let decided = match state {
        Some(state) if matches!(state.phase, Phase::Paused { .. }) => Standing::Paused,
        Some(state) if state.steering.pause => Standing::Wanted,
        _ => Standing::No,
    };
    let path = layout.inbox();
    let asked = inbox::read(&path).map_err(CommandError::file("read", &path))?;
    let later = asked.iter().fold(None, |known, request| match request.wish {
        Wish::Pause { .. } => Some(true),
        Wish::Resume => Some(false),
        _ => known,
    });
    Ok(match later {
        Some(true) if decided == Standing::No => Standing::Wanted,
        Some(false) => Standing::No,
        _ => decided,
    })
}
