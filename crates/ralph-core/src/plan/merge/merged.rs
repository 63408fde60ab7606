//! The result of a merge: the plan, and how it differs from the existing one. Must never decide what changes.

use crate::{ids::TaskId, plan::Plan};

/// The plan that two plans merge into, and how it differs from the existing one.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// The merged plan. Whether a run can work with it is for [`crate::plan::problems`] to say.
    pub plan: Plan,
    /// Tasks that differ between the plans.
    pub differences: Vec<Difference>,
    /// Number of tasks that are the same in both.
    pub unchanged: usize,
    /// Fields of the whole plan that change.
    pub plan_fields: Vec<String>,
}

/// What a merge does with a task, in the order in which people read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Only the new plan has it.
    Added,
    /// It is pending and follows the new plan.
    Changed,
    /// It is pending and only the existing plan has it.
    Removed,
    /// It stays although the new plan lacks it or says something else.
    Kept,
}

/// One task that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub change: Change,
    pub id: TaskId,
    /// The difference for people; empty where only the status moved on since the new plan was written.
    pub line: String,
}

impl Merged {
    /// Whether writing it would change anything.
    pub fn changes_anything(&self) -> bool {
        !self.plan_fields.is_empty()
            || self.differences.iter().any(|one| one.change != Change::Kept)
    }

    /// The tasks to which this happens.
    pub fn ids(&self, change: Change) -> impl Iterator<Item = &TaskId> {
        self.differences.iter().filter(move |one| one.change == change).map(|one| &one.id)
    }

    /// One line for each difference: `+` added, `~` changed, `-` removed, `=` kept although the new plan differs.
    pub fn describe(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.plan_fields.is_empty() {
            lines.push(format!("~ the plan itself ({})", self.plan_fields.join(", ")));
        }
        let mut differences: Vec<&Difference> = self.differences.iter().collect();
        differences.sort_by_key(|one| one.change);
        lines
            .extend(differences.iter().map(|one| one.line.clone()).filter(|line| !line.is_empty()));
        lines
    }

    /// `2 added, 1 changed, 1 removed, 3 unchanged`.
    pub fn summary(&self) -> String {
        let count = |change| self.ids(change).count();
        format!(
            "{} added, {} changed, {} removed, {} unchanged",
            count(Change::Added),
            count(Change::Changed),
            count(Change::Removed),
            count(Change::Kept) + self.unchanged
        )
    }
}
