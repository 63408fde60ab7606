//! Where a plan was imported from, kept in the plan itself, and what an import says about finished work.

use serde::{Deserialize, Serialize};

use crate::plan::{Plan, Status, Task};

/// The field of the plan that holds it.
const FIELD: &str = "source";

/// Where a plan came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Name of the format.
    pub format: String,
    /// The file, relative to the project where it lies in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What was searched for, if it came from a service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
}

impl Source {
    /// What a plan says about where it came from.
    pub fn of(plan: &Plan) -> Option<Self> {
        serde_json::from_value(plan.extra.get(FIELD)?.clone()).ok()
    }

    /// `prd.json`, or the format if there is no file.
    pub fn name(&self) -> &str {
        self.path.as_deref().unwrap_or(&self.format)
    }
}

/// How the note of a task that was imported as done ends.
const NOT_PROVED: &str = "; not proved by ralph";

/// Whether a task came into the plan as done, so that nothing ralph knows of proves it.
pub fn is_imported_as_done(task: &Task) -> bool {
    task.notes.as_ref().is_some_and(|notes| notes.lines().any(|line| line.ends_with(NOT_PROVED)))
}

/// Takes the note away once ralph has proved the task.
pub(crate) fn proved(task: &mut Task) {
    if !is_imported_as_done(task) {
        return;
    }
    let notes = task.notes.take().unwrap_or_default();
    let lines: Vec<&str> = notes.lines().filter(|line| !line.ends_with(NOT_PROVED)).collect();
    task.notes = Some(lines.join("\n")).filter(|notes| !notes.is_empty());
}

/// Makes a plan that was read the plan of this project: it remembers where it came from. Work that was begun
/// elsewhere begins anew, since ralph has nothing to go on with; what is said to be done stays done, and says
/// that ralph did not prove it.
pub fn adopt(plan: &mut Plan, source: &Source) {
    if let Ok(value) = serde_json::to_value(source) {
        plan.extra.insert(FIELD.into(), value);
    }
    for task in &mut plan.tasks {
        match task.status {
            Status::Done => {
                if !is_imported_as_done(task) {
                    let label =
                        format!("done when it was imported from {}{NOT_PROVED}", source.name());
                    let notes = task.notes.get_or_insert_default();
                    if !notes.is_empty() {
                        notes.push('\n');
                    }
                    notes.push_str(&label);
                }
            }
            Status::InProgress | Status::NeedsReview | Status::ChangesRequested => {
                task.status = Status::Pending;
            }
            Status::Pending | Status::Failed | Status::Skipped | Status::Parked => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_imported_plan_says_where_from_and_what_was_not_proved() {
        let task = |status| Task { id: "a".into(), title: "t".into(), status, ..Task::default() };
        let mut plan = Plan {
            tasks: vec![task(Status::Done), task(Status::InProgress), task(Status::Skipped)],
            ..Plan::default()
        };
        let path = Some("tasks/prd.json".into());
        let source = Source { format: "prd.json".into(), path, query: None };
        adopt(&mut plan, &source);
        adopt(&mut plan, &source);
        assert_eq!(Source::of(&plan), Some(source));
        let [done, begun, skipped] = plan.tasks.as_slice() else { panic!("tasks are gone") };
        assert!(is_imported_as_done(done) && !is_imported_as_done(begun));
        let label = "done when it was imported from tasks/prd.json; not proved by ralph";
        assert_eq!((done.status, done.notes.as_deref()), (Status::Done, Some(label)));
        assert_eq!((begun.status, &begun.notes), (Status::Pending, &None));
        assert_eq!(skipped.status, Status::Skipped);
        let mut noted = Task { notes: Some(format!("mind the gap\n{label}")), ..done.clone() };
        proved(&mut noted);
        assert_eq!(noted.notes.as_deref(), Some("mind the gap"));
        assert!(!is_imported_as_done(&noted));
    }
}
