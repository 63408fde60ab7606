//! What a rule finds, and all rules in their order.

use serde::Serialize;

use super::{
    Facts, commands, criteria, fields, order, size,
    spans::{Place, Spans},
    twins, unsound,
};
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
    pub why: String,
    pub help: String,
}

/// A finding before its place in the text is known.
pub(super) struct Found {
    pub(super) severity: Severity,
    pub(super) rule: &'static str,
    /// Where in the plan: `tasks.2.title`.
    pub(super) path: String,
    pub(super) what: String,
    pub(super) why: &'static str,
    pub(super) help: String,
}

impl Found {
    pub(super) fn warning(rule: &'static str, path: String, what: String) -> Self {
        Self { severity: Severity::Warning, rule, path, what, why: "", help: String::new() }
    }

    pub(super) fn because(self, why: &'static str) -> Self {
        Self { why, ..self }
    }

    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self { help: help.into(), ..self }
    }
}

/// Everything found in a plan and in the text it was read from, in the order of the text.
pub fn check(plan: &Plan, text: &str, facts: &Facts) -> Vec<Finding> {
    let rules = [
        unsound::find(plan, facts),
        fields::find(plan),
        criteria::find(plan, facts),
        commands::find(plan, facts),
        size::find(plan),
        twins::find(plan),
        order::find(plan),
    ];
    let spans = Spans::of(text);
    let placed = rules.into_iter().flatten().map(|found| Finding {
        severity: found.severity,
        rule: found.rule,
        place: spans.place(&found.path),
        what: found.what,
        why: found.why.into(),
        help: found.help,
    });
    let mut findings: Vec<Finding> = placed.collect();
    findings.sort_by_key(|finding| (finding.place, finding.severity));
    findings
}

/// The tasks that are still to be done, with their place in the plan.
pub(super) fn open(plan: &Plan) -> impl Iterator<Item = (usize, &Task)> {
    plan.tasks.iter().enumerate().filter(|(_, task)| !task.status.satisfies())
}
