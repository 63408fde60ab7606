//! What last stood against a task: a rejected attempt, or a review that wants changes. Facts, for people.

use serde::Serialize;

use crate::{
    gates::report::GateResults,
    plan::Status,
    review::Finding,
    run::{AttemptRecord, Detail, RunState},
    verdict::Reason,
};

/// The gate's name where a review stood against the work.
pub(super) const REVIEW: &str = "review";
/// The gate's name where a criterion's check failed.
const CHECK: &str = "check";

/// What last stood against a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setback {
    /// The gate that failed first, `check` or `review`; `None` if no gate had a say.
    pub gate: Option<String>,
    pub exit_code: Option<i32>,
    /// Of the failure or the findings.
    pub fingerprint: String,
    /// ralph's reasons or the reviewer's findings, one a line.
    pub reasons: Vec<String>,
    /// What the programs that failed printed: first and last lines.
    pub outputs: Vec<Output>,
}

/// What a program that failed printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Output {
    /// The gate, or the check's command.
    pub of: String,
    pub exit_code: i32,
    pub text: String,
    /// Path of the whole log, relative to the run's folder.
    pub log: String,
}

impl Setback {
    /// The newest one. A task that is done has one only if it was approved in spite of findings.
    pub(super) fn newest(state: &RunState, at: usize) -> Option<Self> {
        let detail = state.detail(at)?;
        let skipped = state.tasks.get(at).is_some_and(|p| p.status == Status::Skipped);
        match detail.feedback.back() {
            _ if skipped => None,
            Some(record) => Some(Self::of_attempt(record)),
            None if detail.findings.is_empty() => None,
            None => Some(Self::of_review(detail)),
        }
    }

    fn of_attempt(record: &AttemptRecord) -> Self {
        let reasons = &record.verdict.reasons;
        Self {
            gate: reasons.iter().find_map(gate_of),
            exit_code: reasons.iter().find_map(exit_code_of),
            fingerprint: record.verdict.fingerprint.clone(),
            reasons: reasons.iter().map(Reason::describe).collect(),
            outputs: failed_outputs(&record.results),
        }
    }

    fn of_review(detail: &Detail) -> Self {
        Self {
            gate: Some(REVIEW.into()),
            exit_code: Some(1),
            fingerprint: detail.requests.back().cloned().unwrap_or_default(),
            reasons: detail.findings.iter().map(Finding::line).collect(),
            outputs: Vec::new(),
        }
    }
}

/// The gate that spoke against an attempt.
pub(super) fn gate_of(reason: &Reason) -> Option<String> {
    match reason {
        Reason::GateFailed { gate: by, .. }
        | Reason::NoTests { gate: by }
        | Reason::ChangedFiles { by, .. } => Some(by.clone()),
        Reason::CheckFailed { .. } => Some(CHECK.into()),
        _ => None,
    }
}

fn exit_code_of(reason: &Reason) -> Option<i32> {
    match reason {
        Reason::GateFailed { exit_code, .. } | Reason::CheckFailed { exit_code, .. } => {
            Some(*exit_code)
        }
        Reason::NoTests { .. } | Reason::ChangedFiles { .. } => Some(0),
        _ => None,
    }
}

fn failed_outputs(results: &GateResults) -> Vec<Output> {
    let gates = results.gates.iter().filter(|gate| !gate.end.succeeded()).map(|gate| Output {
        of: gate.gate.clone(),
        exit_code: gate.end.exit_code(),
        text: gate.output.clone(),
        log: gate.log.clone(),
    });
    let checks = results.checks.iter().filter(|check| !check.end.succeeded());
    let checks = checks.map(|check| Output {
        of: check.command.clone(),
        exit_code: check.end.exit_code(),
        text: check.output.clone(),
        log: check.log.clone(),
    });
    gates.chain(checks).collect()
}
