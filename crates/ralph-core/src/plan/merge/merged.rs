//! The result of a merge: the plan, and how it differs from the one that was there. Must never decide what changes.

use crate::{
    ids::TaskId,
    plan::{Plan, Status},
};

/// A plan that two were made into, and how it differs from the one that was there.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// What the plan would be. Whether a run can work with it is for [`crate::plan::problems`] to say.
    pub plan: Plan,
    /// Tasks that are new.
    pub added: Vec<TaskId>,
    /// Pending tasks that say something else now.
    pub changed: Vec<Changed>,
    /// Tasks that stay although the new plan lacks them or says something else.
    pub kept: Vec<Kept>,
    /// Pending tasks that are gone.
    pub removed: Vec<Removed>,
    /// Tasks that are the same in both.
    pub unchanged: usize,
    /// Fields of the whole plan that change.
    pub plan_fields: Vec<String>,
}

/// A pending task that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub id: TaskId,
    /// Names of its fields that differ.
    pub fields: Vec<String>,
}

/// A task that stays as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub id: TaskId,
    pub status: Status,
    /// Whether the new plan has it too.
    pub is_in_new_plan: bool,
    /// Names of fields in which the new plan differs; where a task stands is not among them.
    pub differs: Vec<String>,
}

/// A pending task that is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    pub id: TaskId,
    pub title: String,
}
