//! What past runs of this repository took, and what the next one will probably take. Reads only.

use ralph_core::{
    event::Source,
    plan::Status,
    preflight::{Estimate, PastRun},
    run::RunState,
};
use ralph_engine::{layout::Layout, runs};

use crate::words::count;

/// So many of the newest runs are looked at.
const MOST: usize = 5;

/// The newest runs of the plan; those that cannot be read are left out.
pub(crate) fn runs(layout: &Layout) -> Vec<PastRun> {
    // What drafting a plan took says nothing about working on it.
    runs::states(layout, runs::worked(layout).into_iter().rev().take(MOST))
        .filter(|state| matches!(state.start.source, Source::Plan | Source::Tasks { .. }))
        .map(|state| past(&state))
        .collect()
}

fn past(state: &RunState) -> PastRun {
    let worked = state.tasks.iter().filter(|task| {
        task.status == Status::Done
            && task.detail.as_ref().is_some_and(|detail| detail.attempts > 0)
    });
    PastRun {
        review: state.start.settings.review.mode,
        iterations: state.counters.iterations,
        done: u32::try_from(worked.count()).unwrap_or(u32::MAX),
        cost: Some(state.usage.cost).filter(|cost| cost.0 > 0),
    }
}

/// The estimate in one line.
pub(crate) fn words(estimate: &Estimate) -> String {
    let tasks = count(estimate.tasks.into(), "open task");
    let iterations =
        format!("{} to {} iterations", estimate.least_iterations, estimate.most_iterations);
    let from = &estimate.from;
    match (estimate.least_cost_usd_micros, estimate.most_cost_usd_micros) {
        (Some(least), Some(most)) => {
            format!("{iterations}, {least} to {most} for {tasks} ({from})")
        }
        _ => format!("{iterations} for {tasks} ({from}); no estimate of the cost yet"),
    }
}
