//! Which changes take something away from what was agreed. Those are for a person to decide.

use std::collections::BTreeSet;

use super::Changes;
use crate::{
    ids::TaskId,
    plan::{Criterion, Plan, Status, Task},
};

/// Everything about a change of a task that a person must decide; empty if it only adds or explains.
/// `changes` holds real differences only.
pub(super) fn weaknesses(plan: &Plan, task: &Task, changes: &Changes) -> Vec<String> {
    let mut found = Vec::new();
    let mut say = |why: &str| found.push(why.to_owned());
    if changes.description.as_ref().is_some_and(|text| text.trim().is_empty()) {
        say("it removes the description");
    }
    if changes.notes.as_ref().is_some_and(|new| !keeps(task.notes.as_deref(), new.as_deref())) {
        say("it removes notes");
    }
    let criteria = changes.acceptance_criteria.as_ref();
    if criteria.is_some_and(|new| !holds_all(new, &task.acceptance_criteria)) {
        say("it removes or rewords a criterion");
    }
    if let Some(needed) = &changes.depends_on {
        if task.depends_on.iter().any(|id| !needed.contains(id)) {
            say("it removes a dependency");
        }
        if let Some(id) = first_dead_end(plan, task, needed) {
            say(&format!("it would wait for {id}, which only a person can unblock"));
        }
    }
    if let Some(name) = limits(changes) {
        say(&format!("a person must choose `{name}`"));
    }
    found
}

/// The first setting of a new task that a person must choose.
pub(super) fn chosen_limit(task: &Task) -> Option<&'static str> {
    limits(&Changes::between(&Task::default(), task))
}

fn limits(changes: &Changes) -> Option<&'static str> {
    let set = [
        ("agent", changes.agent.is_some()),
        ("model", changes.model.is_some()),
        ("max_turns", changes.max_turns.is_some()),
        ("max_attempts", changes.max_attempts.is_some()),
        ("max_retries", changes.max_retries.is_some()),
        ("timeout_multiplier", changes.timeout_multiplier.is_some()),
    ];
    set.into_iter().find_map(|(name, is_set)| is_set.then_some(name))
}

/// Anything but notes and a place in the order.
pub(super) fn touches_the_work(changes: &Changes) -> bool {
    let aside = Changes { notes: None, priority: None, order: None, ..changes.clone() };
    !aside.names().is_empty()
}

fn keeps(old: Option<&str>, new: Option<&str>) -> bool {
    new.unwrap_or_default().contains(old.unwrap_or_default().trim())
}

/// Whether each old criterion is still there, as often as it was.
fn holds_all(new: &[Criterion], old: &[Criterion]) -> bool {
    let mut left: Vec<&Criterion> = new.iter().collect();
    old.iter().all(|wanted| {
        let at = left.iter().position(|criterion| *criterion == wanted);
        at.map(|at| left.swap_remove(at)).is_some()
    })
}

/// A dependency that is new and stands still: it would hold the task back as parking it would.
fn first_dead_end<'a>(plan: &Plan, task: &Task, needed: &'a [TaskId]) -> Option<&'a TaskId> {
    let still: BTreeSet<&TaskId> = plan
        .tasks
        .iter()
        .filter(|other| matches!(other.status, Status::Failed | Status::Parked))
        .map(|other| &other.id)
        .collect();
    needed.iter().find(|id| still.contains(id) && !task.depends_on.contains(id))
}
