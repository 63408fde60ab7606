//! What agents proposed for the plan and nobody has decided on: the next run of the same plan takes it along.

use ralph_core::{
    event::Source,
    plan::{Plan, amend::Ruled},
    run::RunState,
};
use ralph_engine::{layout::Layout, runs};

/// The proposals that wait since the last run of this plan, by their numbers.
pub(super) fn proposals(
    layout: &Layout,
    source: &Source,
    (file, plan): (Option<&str>, &Plan),
) -> Vec<(u32, Ruled)> {
    if !is_of_plan(source) {
        return Vec::new();
    }
    let same_file = |state: &RunState| {
        is_of_plan(&state.start.source) && state.start.plan_file.as_deref() == file
    };
    let last = runs::states(layout, runs::worked(layout).into_iter().rev()).find(same_file);
    // Another project's plan in the same place is another plan.
    last.filter(|state| state.start.plan.project == plan.project)
        .map(|state| state.proposals.into_iter().collect())
        .unwrap_or_default()
}

fn is_of_plan(source: &Source) -> bool {
    matches!(source, Source::Plan | Source::Tasks { .. })
}
