//! Which tasks have another status than a text says: the part of writing back that every format shares.

use std::collections::{BTreeMap, BTreeSet};

use super::WrittenBack;
use crate::{
    ids::TaskId,
    plan::{Plan, Status, Task},
};

/// The statuses of a plan's tasks, against what a text says of them.
pub(super) struct StatusChanges {
    now: BTreeMap<TaskId, Status>,
    changed: Vec<TaskId>,
    missing: Vec<TaskId>,
}

impl StatusChanges {
    pub(super) fn of(plan: &Plan, text: &Plan) -> Self {
        let there: BTreeSet<&TaskId> = text.tasks.iter().map(|task| &task.id).collect();
        let missing = plan.tasks.iter().filter(|task| !there.contains(&task.id));
        Self {
            missing: missing.map(|task| task.id.clone()).collect(),
            now: plan.tasks.iter().map(|task| (task.id.clone(), task.status)).collect(),
            changed: Vec::new(),
        }
    }

    /// The status that the text must say of its task, if it says another one.
    pub(super) fn change(&mut self, task: &Task) -> Option<Status> {
        let status = self.status(task).filter(|status| *status != task.status)?;
        self.changed(task);
        Some(status)
    }

    /// The status that a task of the text has in the plan.
    pub(super) fn status(&self, task: &Task) -> Option<Status> {
        self.now.get(&task.id).copied()
    }

    /// Remembers that the text says something else of a task now.
    pub(super) fn changed(&mut self, task: &Task) {
        self.changed.push(task.id.clone());
    }

    /// Remembers that the text has no place to say it of a task.
    pub(super) fn missing(&mut self, task: &Task) {
        self.missing.push(task.id.clone());
    }

    pub(super) fn is_any_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    pub(super) fn finish(self, text: String) -> WrittenBack {
        WrittenBack { text, changed: self.changed, missing: self.missing }
    }
}
