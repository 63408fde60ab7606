//! A plan from a document of another tool, and ids for tasks that have none.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{
    super::{FormatError, names},
    Fields, task,
};
use crate::{
    ids::TaskId,
    plan::{Plan, Task},
};

/// Names under which tools keep their tasks.
pub(in super::super) const TASK_LISTS: &[&str] =
    &["userstories", "tasks", "stories", "features", "items", "todos"];

/// A plan from a document of another tool: an object with a list of tasks, or only the list.
pub(in super::super) fn plan(document: Value) -> Result<Plan, FormatError> {
    let (mut fields, tasks) = match document {
        Value::Array(tasks) => (Fields::new(Map::new(), "the plan"), tasks),
        Value::Object(object) => {
            let mut fields = Fields::new(object, "the plan");
            match fields.take(TASK_LISTS) {
                Some(Value::Array(tasks)) => (fields, tasks),
                Some(_) => return Err(fields.wrong(&["tasks"], "a list")),
                None => return Err(no_tasks()),
            }
        }
        _ => return Err(no_tasks()),
    };
    let mut plan = Plan {
        project: fields.text(&["project", "name", "projectname", "title"])?.unwrap_or_default(),
        branch: fields.text(&["branch", "branchname"])?.unwrap_or_default(),
        description: fields.text(&["description", "overview"])?.unwrap_or_default(),
        verify_commands: fields.texts(&[
            "verifycommands",
            "qualitychecks",
            "validationcommands",
        ])?,
        max_iterations: fields.number(&["maxiterations"])?,
        validation_strategy: fields.text(&["validationstrategy"])?,
        ..Plan::default()
    };
    if fields.left.get("version") == Some(&Value::from(plan.version)) {
        fields.left.shift_remove("version");
    }
    plan.extra = fields.rest(Plan::FIELDS);
    plan.tasks = all_tasks(tasks)?;
    Ok(plan)
}

/// No task is no plan: "all done" must not be said of a file that holds something else.
fn no_tasks() -> FormatError {
    FormatError::new(
        "there is no list of tasks",
        "put the tasks in `userStories` or `tasks`, each with at least a title",
    )
}

fn all_tasks(values: Vec<Value>) -> Result<Vec<Task>, FormatError> {
    let mut tasks = Vec::with_capacity(values.len());
    for (number, value) in (1..).zip(values) {
        tasks.push(match value {
            Value::Object(object) => task::task(object, number)?,
            Value::String(title) => Task { title, ..Task::default() },
            _ => {
                let what = format!("task {number} is neither an object nor a string");
                return Err(FormatError::new(what, "write each task as an object with a title"));
            }
        });
    }
    name_nameless(&mut tasks);
    Ok(tasks)
}

/// Tasks without an id get one from their title.
pub(in super::super) fn name_nameless(tasks: &mut [Task]) {
    let mut taken: BTreeSet<TaskId> = tasks.iter().map(|task| task.id.clone()).collect();
    for task in tasks.iter_mut().filter(|task| task.id.as_str().is_empty()) {
        task.id = names::free_id(names::slug(&task.title), &taken);
        taken.insert(task.id.clone());
    }
}
