//! An order that says one thing and dependencies that say another.

use std::collections::BTreeMap;

use super::finding::{Finding, open};
use crate::{
    ids::TaskId,
    plan::{Plan, Task},
};

/// Tasks that are to come before what they wait for.
pub(super) fn find(plan: &Plan) -> Vec<Finding> {
    let by_id: BTreeMap<&TaskId, &Task> = open(plan).map(|(_, task)| (&task.id, task)).collect();
    let mut found = Vec::new();
    for (at, task) in open(plan) {
        let later = task
            .depends_on
            .iter()
            .filter_map(|id| by_id.get(id))
            .find(|needed| is_before(task, needed));
        if let Some(needed) = later {
            let field = if task.priority.is_some() { "priority" } else { "order" };
            let what = format!("{} is ordered before {}, which it depends on", task.id, needed.id);
            found.push(
                Finding::warning("order", format!("tasks.{at}.{field}"), what)
                    .because("it has to wait, so its position has no effect")
                    .help("give it a higher number, or remove the dependency"),
            );
        }
    }
    found
}

/// Both say where they want to be, and the first wants to be earlier.
fn is_before(task: &Task, needed: &Task) -> bool {
    match (task.priority, needed.priority) {
        (Some(own), Some(other)) if own != other => own < other,
        (None, None) | (Some(_), Some(_)) => match (task.order, needed.order) {
            (Some(own), Some(other)) => own < other,
            _ => false,
        },
        _ => false,
    }
}
