//! What can be computed from a plan once: where each task is, in which order they go, what they wait for.

use std::collections::BTreeMap;

use crate::{
    event::{RunStart, Source},
    ids::TaskId,
    plan::Plan,
};

/// Look-ups over a plan, so that picking stays cheap with 100,000 tasks.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct PlanIndex {
    by_id: BTreeMap<TaskId, usize>,
    order: Vec<usize>,
    depends_on: Vec<Vec<usize>>,
}

impl PlanIndex {
    pub(super) fn new(plan: &Plan) -> Self {
        let by_id: BTreeMap<_, _> =
            plan.tasks.iter().enumerate().map(|(at, task)| (task.id.clone(), at)).collect();
        let depends_on = plan
            .tasks
            .iter()
            .map(|task| task.depends_on.iter().filter_map(|id| by_id.get(id).copied()).collect())
            .collect();
        let mut order: Vec<usize> = (0..plan.tasks.len()).collect();
        order.sort_by_key(|&at| {
            let task = plan.tasks.get(at);
            let rank = |value: Option<i64>| value.unwrap_or(i64::MAX);
            (rank(task.and_then(|t| t.priority)), rank(task.and_then(|t| t.order)), at)
        });
        Self { by_id, order, depends_on }
    }

    pub(super) fn position(&self, id: &TaskId) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// What a task waits for.
    pub(super) fn depends_on(&self, task: usize) -> &[usize] {
        self.depends_on.get(task).map_or(&[], Vec::as_slice)
    }

    /// The tasks this run is about, in picking order.
    pub(super) fn selected<'a>(&'a self, start: &'a RunStart) -> impl Iterator<Item = usize> + 'a {
        let named: Option<Vec<usize>> = match &start.source {
            Source::Tasks { ids } => Some(ids.iter().filter_map(|id| self.position(id)).collect()),
            Source::Plan | Source::Prompt { .. } | Source::Planning { .. } => None,
        };
        self.order
            .iter()
            .copied()
            .filter(move |task| named.as_ref().is_none_or(|named| named.contains(task)))
    }
}
