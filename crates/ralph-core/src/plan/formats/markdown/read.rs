//! A document as a plan: its tasks named, their dependencies found.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{
    super::{FormatError, names, other_tools},
    task::Found,
};
use crate::{ids::TaskId, plan::Plan};

/// What was read of a document.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) plan: Plan,
    /// What ralph wrote into a comment.
    pub(super) hidden: Map<String, Value>,
    pub(super) found: Vec<Found>,
}

impl Read {
    /// The plan, its tasks named and their dependencies found.
    pub(super) fn into_plan(mut self) -> Result<Plan, FormatError> {
        if self.found.is_empty() && self.hidden.is_empty() {
            return Err(FormatError::new(
                "no tasks found: neither a `- [ ]` item nor a heading such as `### Task 1: …`",
                "write the tasks as a checklist, or let `ralph plan` draft a plan from this text",
            ));
        }
        name_numbered(&mut self.found);
        let mut tasks: Vec<_> = self.found.iter().map(|found| found.task.clone()).collect();
        other_tools::name_nameless(&mut tasks);
        for (found, task) in self.found.iter_mut().zip(&tasks) {
            found.task.id = task.id.clone();
        }
        let ids: BTreeSet<&TaskId> = tasks.iter().map(|task| &task.id).collect();
        let numbers: BTreeMap<&str, &TaskId> = self
            .found
            .iter()
            .filter_map(|found| Some((found.number.as_deref()?, &found.task.id)))
            .collect();
        let needed: Vec<Vec<TaskId>> = self
            .found
            .iter()
            .map(|found| found.needed.iter().map(|name| resolve(name, &ids, &numbers)).collect())
            .collect();
        let mut plan = self.plan;
        plan.tasks.clone_from(&tasks);
        for (task, needed) in plan.tasks.iter_mut().zip(needed) {
            task.depends_on.extend(needed);
        }
        if self.hidden.is_empty() {
            return Ok(plan);
        }
        let tasks = std::mem::take(&mut plan.tasks);
        let mut fields = serde_json::to_value(&plan).unwrap_or_default();
        if let Value::Object(fields) = &mut fields {
            fields.extend(self.hidden);
            fields.insert("tasks".into(), Value::Array(Vec::new()));
        }
        let plan: Plan = serde_json::from_value(fields).map_err(|error| {
            let help = "fix or remove the comment that begins with <!-- ralph";
            FormatError::new(format!("ralph's comment for the plan is damaged: {error}"), help)
        })?;
        Ok(Plan { tasks, ..plan })
    }
}

/// `Task 3` is T-003, unless another task is called that.
fn name_numbered(found: &mut [Found]) {
    let mut taken: BTreeSet<TaskId> = found.iter().map(|found| found.task.id.clone()).collect();
    for found in found.iter_mut().filter(|found| found.task.id.as_str().is_empty()) {
        let Some(number) = &found.number else { continue };
        let id = match number.parse::<u32>() {
            Ok(number) => format!("T-{number:03}"),
            Err(_) => format!("T-{number}"),
        };
        found.task.id = names::free_id(names::sound_id(&id), &taken);
        taken.insert(found.task.id.clone());
    }
}

/// The task that a name in a list of dependencies means.
fn resolve(name: &str, ids: &BTreeSet<&TaskId>, numbers: &BTreeMap<&str, &TaskId>) -> TaskId {
    let id = names::sound_id(name);
    if ids.contains(&id) {
        return id;
    }
    let number = name.rsplit([' ', '#']).next().unwrap_or(name);
    numbers.get(number).map_or(id, |id| (*id).clone())
}
