//! What the plan has besides the work of the last run.

use ralph_core::{
    event::Source,
    plan::{Plan, formats::plan_json},
    run::RunState,
};
use ralph_engine::{layout::Layout, project_file};

/// How many tasks of the plan the run is not about, and are not finished.
pub(super) fn open(layout: &Layout, state: &RunState, edited: Option<&Plan>) -> usize {
    let source = &state.start.source;
    match source {
        Source::Tasks { .. } => {
            let own = state.plan_view();
            let tasks = edited.unwrap_or(&own).tasks.iter();
            let open = tasks.filter(|task| !task.status.satisfies());
            open.filter(|task| !source.selects(&task.id)).count()
        }
        // A plan that cannot be read is told by the commands that need it.
        Source::Prompt { .. } => project_file::text(&layout.plan(), project_file::LARGEST)
            .ok()
            .and_then(|text| plan_json::parse(&text).ok())
            .map_or(0, |plan| plan.open_tasks()),
        Source::Plan | Source::Planning { .. } => 0,
    }
}
