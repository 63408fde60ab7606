//! How many iterations a resumed run gets: what a person gave is a total, what was derived is extended.

use ralph_core::{
    input::Reloaded,
    outcome::Outcome,
    run::{self as core, RunState},
};

use crate::{diagnostics::CommandError, words};

/// The total that a person gives now: with `-n`, or with a setting that counts from now on.
pub(super) fn given(
    state: &RunState,
    by_flag: Option<u32>,
    reloaded: Option<&Reloaded>,
) -> Option<u32> {
    by_flag.or_else(|| by_settings(state, reloaded?))
}

/// What the settings say since they were read anew. What `-n` said before holds over them.
fn by_settings(state: &RunState, reloaded: &Reloaded) -> Option<u32> {
    let start = &state.start;
    let before = start.settings.limits.max_iterations;
    let now = reloaded.settings.limits.max_iterations;
    let is_by_flag = start.is_limit_given && start.max_iterations != before;
    (now > 0 && now != before && !is_by_flag).then_some(now)
}

/// A total that was used up already would end the run at once.
pub(super) fn check(state: &RunState, total: Option<u32>) -> Result<(), CommandError> {
    let used = state.counters.iterations;
    let is_at_limit = matches!(state.outcome(), Some(Outcome::Limit { .. }));
    let refused = |what: String, or: &str| {
        let help = format!("ralph resume -n {}{or}", used.saturating_mul(2));
        Err(CommandError::usage(what, help))
    };
    let run = &state.run;
    match total {
        Some(total) if total < used || (total == used && is_at_limit) => {
            let or = if state.start.is_limit_given { "" } else { ", or without -n" };
            let made = words::count(used.into(), "iteration");
            let what =
                format!("run {run} has already made {made}, and a total of {total} includes them");
            refused(what, or)
        }
        None if state.is_used_up() => {
            let total = state.start.max_iterations;
            let total = words::count(total.into(), "iteration");
            refused(format!("run {run} has used up its limit of {total}"), "")
        }
        _ => Ok(()),
    }
}

/// A run that ended at a limit of ralph's own, or that a person has asked for more, gets as much again as its open
/// tasks call for.
pub(super) fn more(state: &RunState) -> Option<u32> {
    if state.start.is_limit_given {
        return None;
    }
    let used = state.counters.iterations;
    let tasks = state.start.plan.tasks.iter().zip(&state.tasks);
    let open = tasks.filter(|(_, progress)| !progress.status.satisfies()).map(|(task, _)| task);
    let wanted = used + core::derived(open, state.start.settings.review.mode).0;
    match state.outcome()? {
        Outcome::Limit { .. } if used >= state.start.max_iterations => Some(wanted),
        Outcome::Done | Outcome::NeedsPerson { .. } if wanted > state.start.max_iterations => {
            Some(wanted)
        }
        _ => None,
    }
}
