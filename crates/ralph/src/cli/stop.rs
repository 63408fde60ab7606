//! `ralph stop [--now]`: asks the running loop, through the inbox. One whose process died is left in order.

use ralph_core::{input::Wish, outcome::Outcome, run::RunState};
use ralph_engine::{
    journal::{Lock, Owner},
    layout::Layout,
    runs,
};
use serde_json::json;

use super::{pause, steer::put};
use crate::{
    args::commands::StopArgs,
    context::{Context, answer_json},
    diagnostics::CommandError,
    exit,
    session::{plan_status, resume, run_store::RunStore},
};

/// Runs `ralph stop`.
pub(crate) fn exec(args: &StopArgs, context: &Context) -> Result<u8, CommandError> {
    let place = RunStore::find(&context.project_dir)?;
    let Some(owner) = Lock::peek(&place.layout.lock()) else {
        return end_dead(&place.layout, context);
    };
    let text = ask(&place.layout, &owner, args.now)?;
    if context.json {
        answer_json(&json!({ "v": 1, "run": owner.run, "pid": owner.pid, "now": args.now }))?;
    }
    context.done(text)?;
    Ok(exit::DONE)
}

/// Stops the run that is active; tells when it does.
pub(crate) fn ask(layout: &Layout, owner: &Owner, is_now: bool) -> Result<String, CommandError> {
    put(layout, if is_now { &Wish::StopNow } else { &Wish::Stop })?;
    let run = owner.run.as_ref().map(|run| format!("run {run} ")).unwrap_or_default();
    let when = if is_now { "stops now" } else { "stops after this iteration" };
    Ok(format!("{run}(pid {}) {when}", owner.pid))
}

/// Nobody works here; a run that died may still hold what is the user's.
fn end_dead(layout: &Layout, context: &Context) -> Result<u8, CommandError> {
    let (holding, mut others) = (runs::holding(layout), runs::unreadable(layout));
    // One that died before it had a workspace holds nothing, and is not over either.
    let newest = plan_status::newest(layout).ok().flatten();
    others.extend(newest.filter(|state| state.outcome().is_none()).map(|state| state.run));
    others.retain(|run| !holding.contains(run));
    if holding.is_empty() && others.is_empty() {
        return Err(nothing_runs(layout)?);
    }
    let mut closed = holding;
    for run in &others {
        resume::end(run, context)?;
        closed.push(run.clone());
    }
    resume::end_others(layout, None, context)?;
    if context.json {
        answer_json(&json!({ "v": 1, "closed": closed }))?;
    }
    Ok(exit::DONE)
}

/// A run that ended in order may still be one that `ralph run` resumes.
fn nothing_runs(layout: &Layout) -> Result<CommandError, CommandError> {
    let can_go_on = |state: &RunState| {
        state.outcome().is_some_and(Outcome::resumable) && runs::has_workspace(layout, &state.run)
    };
    Ok(match plan_status::newest(layout)?.filter(can_go_on) {
        None => pause::nothing_runs(),
        Some(state) => CommandError::usage(
            format!("no run is active here; run {} ended with work left", state.run),
            "ralph resume continues it; ralph run --fresh starts another",
        ),
    })
}
