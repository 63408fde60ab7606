//! The merge itself: goes once through the old tasks and once through the new ones.

use std::collections::{BTreeMap, BTreeSet};

use super::{Changed, Kept, Merged, Removed, fields, matching};
use crate::{
    ids::TaskId,
    plan::{Plan, Status, Task},
};

/// Joins a new plan with the one that is there.
///
/// Tasks that are not pending stay exactly as they are, and so do pending ones they depend on. Other pending
/// tasks follow the new plan: they change, appear or go. Tasks that only the old plan has come first, then the
/// new plan's in its order.
pub fn merge(existing: &Plan, mut incoming: Plan) -> Merged {
    matching::adopt_known_ids(existing, &mut incoming);
    let (plan, plan_fields) = fields::follow_plan(existing, &incoming);
    let mut merged = Merged {
        plan,
        added: Vec::new(),
        changed: Vec::new(),
        kept: Vec::new(),
        removed: Vec::new(),
        unchanged: 0,
        plan_fields,
    };
    let bound = bound(existing);
    let in_new: BTreeSet<TaskId> = incoming.tasks.iter().map(|task| task.id.clone()).collect();
    for task in existing.tasks.iter().filter(|task| !in_new.contains(&task.id)) {
        if bound.contains(&task.id) {
            merged.kept.push(kept(task, None));
            merged.plan.tasks.push(task.clone());
        } else {
            merged.removed.push(Removed { id: task.id.clone(), title: task.title.clone() });
        }
    }
    let old: BTreeMap<&TaskId, &Task> =
        existing.tasks.iter().map(|task| (&task.id, task)).collect();
    for task in incoming.tasks {
        if let Some(old) = old.get(&task.id) {
            meet(&mut merged, old, task);
        } else {
            merged.added.push(task.id.clone());
            merged.plan.tasks.push(task);
        }
    }
    merged
}

/// A task that both plans have.
fn meet(merged: &mut Merged, old: &Task, new: Task) {
    if old.status != Status::Pending {
        let differs = fields::differing_in_content(old, &new);
        if differs.is_empty() && old.status == new.status {
            merged.unchanged += 1;
        } else {
            merged.kept.push(kept(old, Some(differs)));
        }
        merged.plan.tasks.push(old.clone());
        return;
    }
    let task = fields::follow(old, new);
    let fields = fields::differing(old, &task);
    if fields.is_empty() {
        merged.unchanged += 1;
    } else {
        merged.changed.push(Changed { id: task.id.clone(), fields });
    }
    merged.plan.tasks.push(task);
}

fn kept(task: &Task, differs: Option<Vec<String>>) -> Kept {
    let is_in_new_plan = differs.is_some();
    let differs = differs.unwrap_or_default();
    Kept { id: task.id.clone(), status: task.status, is_in_new_plan, differs }
}

/// Tasks that stay whatever a new plan says: those that are not pending, and all they depend on.
fn bound(plan: &Plan) -> BTreeSet<&TaskId> {
    let tasks: BTreeMap<&TaskId, &Task> = plan.tasks.iter().map(|task| (&task.id, task)).collect();
    let mut left: Vec<&TaskId> =
        plan.tasks.iter().filter(|task| task.status != Status::Pending).map(|t| &t.id).collect();
    let mut bound = BTreeSet::new();
    while let Some(id) = left.pop() {
        if bound.insert(id)
            && let Some(task) = tasks.get(id)
        {
            left.extend(&task.depends_on);
        }
    }
    bound
}
