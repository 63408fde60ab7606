//! What can be computed from a plan once: where each task is, in which order they go, what they wait for.

use crate::{
    event::{RunStart, Source},
    ids::TaskId,
    plan::Plan,
};

/// Look-ups over a plan, so that picking stays cheap with 100,000 tasks.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct PlanIndex {
    /// Positions, sorted by the id of the task there.
    by_id: Vec<usize>,
    order: Vec<usize>,
    depends_on: Vec<Vec<usize>>,
}

impl PlanIndex {
    pub(super) fn new(plan: &Plan) -> Self {
        let mut by_id: Vec<usize> = (0..plan.tasks.len()).collect();
        by_id.sort_by_key(|&at| plan.tasks.get(at).map(|task| &task.id));
        let position = |id| find(plan, &by_id, id);
        let depends_on = plan.tasks.iter();
        let depends_on =
            depends_on.map(|task| task.depends_on.iter().filter_map(position).collect()).collect();
        let mut order: Vec<usize> = (0..plan.tasks.len()).collect();
        order.sort_by_key(|&at| {
            let task = plan.tasks.get(at);
            let rank = |value: Option<i64>| value.unwrap_or(i64::MAX);
            (rank(task.and_then(|t| t.priority)), rank(task.and_then(|t| t.order)), at)
        });
        Self { by_id, order, depends_on }
    }

    pub(super) fn position(&self, plan: &Plan, id: &TaskId) -> Option<usize> {
        find(plan, &self.by_id, id)
    }

    /// What a task waits for.
    pub(super) fn depends_on(&self, task: usize) -> &[usize] {
        self.depends_on.get(task).map_or(&[], Vec::as_slice)
    }

    /// The tasks this run is about, in picking order.
    pub(super) fn selected<'a>(&'a self, start: &'a RunStart) -> impl Iterator<Item = usize> + 'a {
        let named: Option<Vec<usize>> = match &start.source {
            Source::Tasks { ids } => {
                Some(ids.iter().filter_map(|id| self.position(&start.plan, id)).collect())
            }
            Source::Plan | Source::Prompt { .. } | Source::Planning { .. } => None,
        };
        self.order
            .iter()
            .copied()
            .filter(move |task| named.as_ref().is_none_or(|named| named.contains(task)))
    }
}

fn find(plan: &Plan, by_id: &[usize], id: &TaskId) -> Option<usize> {
    let found =
        by_id.binary_search_by_key(&Some(id), |&at| plan.tasks.get(at).map(|task| &task.id));
    found.ok().and_then(|place| by_id.get(place).copied())
}
