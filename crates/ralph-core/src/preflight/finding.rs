//! What a rule finds, and the tasks it looks at.

use serde::Serialize;

use super::spans::Place;
use crate::plan::{Plan, Task};

/// Whether a run can begin in spite of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// No run can work with this.
    Error,
    /// A run works, and probably not as meant.
    Warning,
}

/// One thing that a rule found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub severity: Severity,
    /// Name of the rule.
    pub rule: &'static str,
    #[serde(flatten)]
    pub place: Place,
    pub what: String,
    pub why: &'static str,
    pub help: String,
    /// Where in the plan: `tasks.2.title`. The place in the text is found by it.
    #[serde(skip)]
    pub(super) path: String,
}

impl Finding {
    pub(super) fn error(rule: &'static str, path: impl Into<String>, what: String) -> Self {
        Self {
            severity: Severity::Error,
            rule,
            place: Place::default(),
            what,
            why: "",
            help: String::new(),
            path: path.into(),
        }
    }

    pub(super) fn warning(rule: &'static str, path: impl Into<String>, what: String) -> Self {
        Self { severity: Severity::Warning, ..Self::error(rule, path, what) }
    }

    pub(super) fn because(self, why: &'static str) -> Self {
        Self { why, ..self }
    }

    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self { help: help.into(), ..self }
    }
}

/// The tasks that are still to be done, with their place in the plan.
pub(super) fn open(plan: &Plan) -> impl Iterator<Item = (usize, &Task)> {
    plan.tasks.iter().enumerate().filter(|(_, task)| !task.status.satisfies())
}
