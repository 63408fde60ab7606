//! Fields that nobody reads and whose names are close to one that is read.

use super::finding::{Found, open};
use crate::{plan::Plan, settings::nearest};

const OF_PLAN: [&str; 8] = [
    "version",
    "project",
    "branch",
    "description",
    "verify_commands",
    "max_iterations",
    "validation_strategy",
    "tasks",
];
const OF_TASK: [&str; 20] = [
    "id",
    "title",
    "description",
    "acceptance_criteria",
    "status",
    "priority",
    "order",
    "depends_on",
    "skills",
    "needs_docs",
    "libraries",
    "agent",
    "model",
    "max_turns",
    "max_attempts",
    "max_retries",
    "timeout_multiplier",
    "review_count",
    "review_feedback",
    "notes",
];

/// Fields that look like typing errors.
pub(super) fn find(plan: &Plan) -> Vec<Found> {
    let mut found: Vec<Found> =
        plan.extra.keys().filter_map(|name| typo("", name, &OF_PLAN)).collect();
    for (at, task) in open(plan) {
        let of_task = |name: &String| typo(&format!("tasks.{at}."), name, &OF_TASK);
        found.extend(task.extra.keys().filter_map(of_task));
    }
    found
}

fn typo(before: &str, name: &str, known: &[&'static str]) -> Option<Found> {
    let plain = name.replace('-', "_").to_lowercase();
    let meant = nearest(&plain, known.iter().copied())?;
    let what = format!("`{name}` is not read; `{meant}` is");
    let path = format!("{before}{name}");
    Some(
        Found::warning("unknown-field", path, what)
            .help(format!("write `{meant}`, or take it out")),
    )
}
