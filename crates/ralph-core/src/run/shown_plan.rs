//! The plan as people see it while a run goes on: its tasks with their statuses of now.
//!
//! A text is made task by task: with 100,000 of them a second plan would be most of what a run holds.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use super::{RunState, TaskProgress};
use crate::plan::{Plan, Task, formats::plan_json};

impl RunState {
    /// The plan as people see it now.
    pub fn plan_view(&self) -> Plan {
        let mut plan = Plan::clone(&self.start.plan);
        for (task, progress) in plan.tasks.iter_mut().zip(&self.tasks) {
            progress.show_in(task);
        }
        plan
    }

    /// One task of it.
    pub fn task_view(&self, at: usize) -> Option<Cow<'_, Task>> {
        Some(shown(self.start.plan.tasks.get(at)?, self.tasks.get(at)?))
    }

    /// The same as the text of `plan.json`.
    pub fn plan_text(&self) -> String {
        plan_json::pretty(&Shown(self))
    }
}

struct Shown<'a>(&'a RunState);

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.start.plan.write(serializer, &Tasks(self.0))
    }
}

struct Tasks<'a>(&'a RunState);

impl Serialize for Tasks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tasks = self.0.start.plan.tasks.iter().zip(&self.0.tasks);
        serializer.collect_seq(tasks.map(|(task, progress)| shown(task, progress)))
    }
}

fn shown<'a>(task: &'a Task, progress: &TaskProgress) -> Cow<'a, Task> {
    if progress.detail.is_none() && progress.status == task.status {
        return Cow::Borrowed(task);
    }
    let mut task = task.clone();
    progress.show_in(&mut task);
    Cow::Owned(task)
}
