//! What a format cannot carry of a plan, so that nobody finds out later.

use super::{PlanFormat, format::EVERY_FIELD};
use crate::plan::Plan;

/// What is left out when a plan is written in a format: names of fields, and statuses with their tasks.
pub fn lost(format: &PlanFormat, plan: &Plan) -> Vec<String> {
    let mut lost = Vec::new();
    let whole = serde_json::to_value(plan).unwrap_or_default();
    for name in whole.as_object().into_iter().flat_map(|object| object.keys()) {
        let is_own = matches!(name.as_str(), "version" | "tasks" | "source");
        let says_nothing = name == "project" && plan.project.is_empty();
        if !is_own && !says_nothing && !carries(format.plan_fields, name) {
            lost.push(format!("{name} of the plan"));
        }
    }
    for task in &plan.tasks {
        let value = serde_json::to_value(task).unwrap_or_default();
        for name in value.as_object().into_iter().flat_map(|object| object.keys()) {
            let is_new = name != "review_status" && !lost.contains(name);
            if is_new && !carries(format.task_fields, name) {
                lost.push(name.clone());
            }
        }
        if !format.statuses.contains(&task.status) {
            lost.push(format!("the status of {} ({})", task.id, task.status.word()));
        }
    }
    lost
}

fn carries(fields: &[&str], name: &str) -> bool {
    fields == EVERY_FIELD || fields.contains(&name)
}
