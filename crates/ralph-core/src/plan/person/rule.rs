//! Whether a person's wish can be granted. Changes nothing.

use super::TaskWish;
use crate::{
    ids::TaskId,
    plan::{
        Plan, Status, Task,
        amend::{Amendment, Changes, try_apply},
    },
};

/// Why a wish cannot be granted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotPossible {
    #[error("there is no task {id}")]
    NoSuchTask { id: TaskId },
    #[error("{id} is {}; `{word}` does not apply to it", is.word())]
    WrongStatus { id: TaskId, is: Status, word: &'static str },
    #[error("{id} is done; its evidence is for the criteria it has now")]
    CriteriaOfDone { id: TaskId },
    #[error("`{field}` of {id} cannot be edited")]
    NotByEditing { id: TaskId, field: String },
    #[error("the new task has no {field}")]
    Missing { field: &'static str },
    #[error("the answer to {id} is empty")]
    EmptyAnswer { id: TaskId },
    #[error("{id} already says that")]
    NothingChanges { id: TaskId },
    #[error("the plan would become invalid: {why}")]
    Unsound { why: String },
    #[error("`{word}` needs the run that the task belongs to")]
    NeedsRun { word: &'static str },
}

impl NotPossible {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::NoSuchTask { .. } => "`ralph task list` shows the tasks there are",
            Self::WrongStatus { word: "retry", .. } => {
                "only failed, parked, done and skipped tasks can be retried"
            }
            Self::WrongStatus { word: "approve", .. } => {
                "only work that is parked, waiting for a review or sent back can be approved"
            }
            Self::WrongStatus { word: "answer", .. } => {
                "only a parked task waits for an answer; use `ralph steer` to say something about another one"
            }
            Self::WrongStatus { .. } => "to change it, retry it first",
            Self::CriteriaOfDone { .. } => "retry the task first, then edit it",
            Self::NotByEditing { .. } => {
                "use skip, retry, approve or answer to change a task's status"
            }
            Self::NothingChanges { .. } => "`ralph task show` prints what it says now",
            Self::Missing { .. } => "give the task an id and a title",
            Self::EmptyAnswer { .. } => "write what the agent needs to know",
            Self::Unsound { .. } => "`ralph task list` shows the plan as it is",
            Self::NeedsRun { .. } => "start or resume the run first",
        }
    }
}

/// Whether a wish can be granted to this plan, whose statuses are those of now. The number of a proposal is
/// known to the run alone, which has to look it up.
pub fn rule(plan: &Plan, wish: &TaskWish) -> Result<(), NotPossible> {
    match wish {
        TaskWish::Add { task } => rule_on_new(task)?,
        TaskWish::Edit { id, changes } => rule_on_edit(plan, id, changes)?,
        TaskWish::Answer { id, text } => {
            check_status(plan, wish, id)?;
            if text.trim().is_empty() {
                return Err(NotPossible::EmptyAnswer { id: id.clone() });
            }
        }
        TaskWish::Skip { id, .. } | TaskWish::Retry { id } | TaskWish::Approve { id } => {
            check_status(plan, wish, id)?;
        }
        TaskWish::Accept { .. } | TaskWish::Decline { .. } => {}
    }
    match as_amendment(wish) {
        Some(amendment) => change(&mut plan.clone(), &amendment),
        None => Ok(()),
    }
}

/// Makes a change of the plan that a wish comes to.
pub(super) fn change(plan: &mut Plan, amendment: &Amendment) -> Result<(), NotPossible> {
    try_apply(plan, amendment).map_err(|why| NotPossible::Unsound { why })
}

/// The statuses a task goes through when a wish is granted, each a legal move from the one before; nothing if
/// the wish leaves the status alone, `None` if a task that stands there cannot be helped this way.
pub fn path(wish: &TaskWish, from: Status) -> Option<&'static [Status]> {
    use Status as S;
    Some(match (wish, from) {
        (TaskWish::Skip { .. }, S::Done | S::Skipped) => return None,
        (TaskWish::Skip { .. }, _) => &[S::Skipped],
        // The work is applied once more, and the gates judge it.
        (TaskWish::Approve { .. }, S::Parked) => &[S::InProgress],
        (TaskWish::Approve { .. }, S::NeedsReview) => &[S::Done],
        (TaskWish::Approve { .. }, S::ChangesRequested) => &[S::NeedsReview, S::Done],
        (TaskWish::Retry { .. }, S::Failed | S::Parked | S::Done | S::Skipped)
        | (TaskWish::Answer { .. }, S::Parked) => &[S::Pending],
        (TaskWish::Approve { .. } | TaskWish::Retry { .. } | TaskWish::Answer { .. }, _) => {
            return None;
        }
        (
            TaskWish::Add { .. }
            | TaskWish::Edit { .. }
            | TaskWish::Accept { .. }
            | TaskWish::Decline { .. },
            _,
        ) => &[],
    })
}

fn check_status(plan: &Plan, wish: &TaskWish, id: &TaskId) -> Result<(), NotPossible> {
    let is = find(plan, id)?.status;
    match path(wish, is) {
        Some(_) => Ok(()),
        None => Err(NotPossible::WrongStatus { id: id.clone(), is, word: wish.word() }),
    }
}

fn rule_on_new(task: &Task) -> Result<(), NotPossible> {
    for (field, text) in [("id", task.id.as_str()), ("title", &task.title)] {
        if text.trim().is_empty() {
            return Err(NotPossible::Missing { field });
        }
    }
    Ok(())
}

fn rule_on_edit(plan: &Plan, id: &TaskId, changes: &Changes) -> Result<(), NotPossible> {
    let task = find(plan, id)?;
    if let Some(field) = changes.claim() {
        return Err(NotPossible::NotByEditing { id: id.clone(), field: field.to_owned() });
    }
    let left = changes.against(task);
    if task.status == Status::Done && left.acceptance_criteria.is_some() {
        return Err(NotPossible::CriteriaOfDone { id: id.clone() });
    }
    if left.names().is_empty() {
        return Err(NotPossible::NothingChanges { id: id.clone() });
    }
    Ok(())
}

/// The change of the plan that a wish comes to, if it is one.
pub fn as_amendment(wish: &TaskWish) -> Option<Amendment> {
    let reason = String::new();
    match wish {
        TaskWish::Add { task } => Some(Amendment::Add { task: task.clone(), after: None, reason }),
        TaskWish::Edit { id, changes } => {
            Some(Amendment::Modify { id: id.clone(), changes: changes.clone(), reason })
        }
        _ => None,
    }
}

fn find<'a>(plan: &'a Plan, id: &TaskId) -> Result<&'a Task, NotPossible> {
    plan.task(id).ok_or_else(|| NotPossible::NoSuchTask { id: id.clone() })
}

#[cfg(test)]
#[path = "rule_tests.rs"]
mod tests;
