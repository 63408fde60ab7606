//! Fields that nobody reads and whose names are close to one that is read.

use super::finding::{Finding, open};
use crate::{
    plan::{Plan, Task},
    settings::nearest,
};

/// Fields of a task that only ralph writes, so that nobody means them.
const WRITTEN_BY_RALPH: [&str; 3] = ["review_status", "branch", "question"];

/// Fields that look like typing errors.
pub(super) fn find(plan: &Plan) -> Vec<Finding> {
    let mut found: Vec<Finding> =
        plan.extra.keys().filter_map(|name| typo("", name, Plan::FIELDS)).collect();
    for (at, task) in open(plan) {
        let of_task = |name: &String| typo(&format!("tasks.{at}."), name, Task::FIELDS);
        found.extend(task.extra.keys().filter_map(of_task));
    }
    found
}

fn typo(before: &str, name: &str, known: &[&'static str]) -> Option<Finding> {
    let plain = name.replace('-', "_").to_lowercase();
    let meant =
        nearest(&plain, known.iter().copied().filter(|name| !WRITTEN_BY_RALPH.contains(name)))?;
    let what = format!("`{name}` is not a known field, but `{meant}` is");
    let path = format!("{before}{name}");
    Some(
        Finding::warning("unknown-field", path, what)
            .help(format!("rename it to `{meant}`, or remove it")),
    )
}
