//! Field by field: what of a pending task and of the whole plan follows the new plan. Blank erases nothing,
//! except where a plan means it: text, criteria and dependencies of a task.

use crate::plan::{
    Plan, Task,
    amend::{Changes, PlanChanges},
};

/// Takes the old value where the new one says nothing.
macro_rules! fill {
    ($new:ident from $old:ident: $($field:ident),+ $(,)?) => {
        $(if is_blank(&$new.$field) { $new.$field.clone_from(&$old.$field); })+
    };
}

fn is_blank<T: Default + PartialEq>(value: &T) -> bool {
    value == &T::default()
}

/// The pending task as it will be: the new one, with settings of the old one that the new one does not name.
pub(super) fn follow(old: &Task, mut new: Task) -> Task {
    fill!(new from old: priority, order, skills, needs_docs, libraries, agent, model, max_turns,
        max_attempts, max_retries, timeout_multiplier, review_count, review_feedback, notes, branch,
        question);
    for (name, value) in &old.extra {
        if !new.extra.contains_key(name) {
            new.extra.insert(name.clone(), value.clone());
        }
    }
    new
}

/// Names of fields in which two tasks of one id differ.
pub(super) fn differing(old: &Task, new: &Task) -> Vec<String> {
    names(&Changes::between(old, new))
}

/// The same, without those that say where a task stands or what ralph wrote on it.
pub(super) fn differing_in_content(old: &Task, new: &Task) -> Vec<String> {
    let mut changes = Changes::between(old, &follow(old, new.clone()));
    (changes.status, changes.review_count, changes.review_feedback) = (None, None, None);
    changes.notes = None;
    names(&changes)
}

fn names(changes: &Changes) -> Vec<String> {
    changes.names().into_iter().map(str::to_owned).collect()
}

/// What holds for the whole plan, without its tasks. Commands that prove work are never lost by a merge.
pub(super) fn follow_plan(old: &Plan, new: &Plan) -> (Plan, Vec<String>) {
    let mut plan = Plan { tasks: Vec::new(), ..new.clone() };
    plan.version = old.version;
    fill!(plan from old: project, branch, description, max_iterations, validation_strategy);
    plan.verify_commands.clone_from(&old.verify_commands);
    for command in &new.verify_commands {
        if !plan.verify_commands.contains(command) {
            plan.verify_commands.push(command.clone());
        }
    }
    plan.extra.clone_from(&old.extra);
    for (name, value) in &new.extra {
        plan.extra.insert(name.clone(), value.clone());
    }
    let changes = PlanChanges::between(old, &plan);
    (plan, changes.names().into_iter().map(str::to_owned).collect())
}
