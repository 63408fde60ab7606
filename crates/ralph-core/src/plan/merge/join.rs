//! The merge itself: goes once through the old tasks and once through the new ones.

use std::collections::{BTreeMap, BTreeSet};

use super::{Change, Difference, Merged, fields, matching};
use crate::{
    ids::TaskId,
    plan::{Plan, Status, Task},
};

/// Merges a new plan into the existing one.
///
/// Tasks that are not pending stay exactly as they are, and so do pending ones they depend on. Other pending
/// tasks follow the new plan: they are changed, added or removed. Tasks that only the old plan has come first, then
/// the new plan's in its order.
pub fn merge(existing: &Plan, mut incoming: Plan) -> Merged {
    matching::adopt_known_ids(existing, &mut incoming);
    let (plan, plan_fields) = fields::follow_plan(existing, &incoming);
    let mut merged = Merged { plan, differences: Vec::new(), unchanged: 0, plan_fields };
    let bound = bound(existing);
    let in_new: BTreeSet<TaskId> = incoming.tasks.iter().map(|task| task.id.clone()).collect();
    for task in existing.tasks.iter().filter(|task| !in_new.contains(&task.id)) {
        if !bound.contains(&task.id) {
            merged.note(Change::Removed, task, format!("- {}: {}", task.id, first_line(task)));
            continue;
        }
        let why = match task.status {
            Status::Pending => "a started task depends on it".to_owned(),
            status => format!("it is {}", status.word()),
        };
        merged.note(
            Change::Kept,
            task,
            format!("= {}: {} stays, {why}", task.id, first_line(task)),
        );
        merged.plan.tasks.push(task.clone());
    }
    let old: BTreeMap<&TaskId, &Task> =
        existing.tasks.iter().map(|task| (&task.id, task)).collect();
    for task in incoming.tasks {
        if let Some(old) = old.get(&task.id) {
            merged.meet(old, task);
        } else {
            merged.note(Change::Added, &task, format!("+ {}: {}", task.id, first_line(&task)));
            merged.plan.tasks.push(task);
        }
    }
    merged
}

impl Merged {
    fn note(&mut self, change: Change, task: &Task, line: String) {
        self.differences.push(Difference { change, id: task.id.clone(), line });
    }

    /// A task that both plans have.
    fn meet(&mut self, old: &Task, new: Task) {
        if old.status != Status::Pending {
            let fields = fields::differing_in_content(old, &new);
            let (id, title, status) = (&old.id, first_line(old), old.status);
            if !fields.is_empty() {
                let why = format!("it is {}; not imported: {}", status.word(), fields.join(", "));
                self.note(Change::Kept, old, format!("= {id}: {title} stays, {why}"));
            } else if status != new.status {
                self.note(Change::Kept, old, String::new());
            } else {
                self.unchanged += 1;
            }
            self.plan.tasks.push(old.clone());
            return;
        }
        let task = fields::follow(old, new);
        let fields = fields::differing(old, &task);
        if fields.is_empty() {
            self.unchanged += 1;
        } else {
            let line = format!("~ {}: {} ({})", task.id, first_line(&task), fields.join(", "));
            self.note(Change::Changed, &task, line);
        }
        self.plan.tasks.push(task);
    }
}

fn first_line(task: &Task) -> &str {
    task.title.lines().next().unwrap_or_default()
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
