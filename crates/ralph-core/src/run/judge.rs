//! The verdict on an attempt, from facts alone: gates, checks, the tree. The agent's word can only hold back.

use ralph_text::fingerprint::{FailurePart, fingerprint};

use super::{Iteration, RunState};
use crate::{
    evidence::Label,
    gates::{
        baseline::{Standing, compare},
        protect::Exposure,
        report::{CommandEnd, GateResults, Severity},
    },
    input::{AgentReport, Captured},
    plan::Task,
    settings::ProtectMode,
    verdict::{Reason, Verdict},
    vocabulary::Kind,
};

/// So many changed protected paths are named.
const MOST_PROTECTED: usize = 10;

/// Judges the tree that the gates ran on.
///
/// Invariant: nothing to verify with means not accepted.
pub(super) fn judge(
    state: &RunState,
    iteration: &Iteration,
    captured: &Captured,
    results: &GateResults,
) -> Verdict {
    let task = iteration.task;
    let mut reasons = breaches(state, captured);
    let mut labels = Vec::new();
    judge_gates(state, results, &mut reasons, &mut labels);
    judge_checks(state, task, results, &mut reasons);
    let trusted = state.start.settings.claims.trust_agent;
    let proved = results.checks.iter().any(|check| check.end.succeeded());
    let reviewed = is_reviewed(state, task);
    let judged_by_person = iteration.kind == Kind::Apply;
    let verified = proved || hard_gates(state) > 0 || reviewed || judged_by_person;
    if captured.tree.as_ref() == Some(&state.head_tree)
        && !proved
        && !may_change_nothing(state, iteration)
    {
        reasons.push(Reason::NothingChanged);
    }
    let is_checked = reasons.iter().any(|one| matches!(one, Reason::CheckFailed { .. }));
    if !verified && !trusted && !is_checked {
        reasons.push(Reason::NothingToVerifyWith);
    }
    if iteration.report.as_deref().is_some_and(|report| held_back(state, task, report)) {
        reasons.push(Reason::Unfinished);
    }
    if !verified {
        labels.push(Label::Unverified);
    }
    let sentences = state.task(task).map_or(0, Task::sentences);
    if sentences > 0 && !reviewed && !judged_by_person {
        labels.push(Label::Unreviewed { criteria: sentences });
    }
    let accepted = reasons.is_empty();
    Verdict {
        tree: captured.tree.clone(),
        accepted,
        fingerprint: print_of(results, &reasons),
        reasons,
        labels,
    }
}

/// The verdict on a tree that must not be judged at all.
pub(super) fn violated(state: &RunState, captured: &Captured) -> Verdict {
    let reasons = breaches(state, captured);
    Verdict {
        tree: captured.tree.clone(),
        accepted: false,
        fingerprint: print_of(&GateResults::default(), &reasons),
        reasons,
        labels: Vec::new(),
    }
}

/// Whether a fresh agent will judge the task once its work is committed.
pub(super) fn is_reviewed(state: &RunState, task: usize) -> bool {
    let mode = state.start.settings.review.mode;
    !state.is_prompt() && state.task(task).is_some_and(|task| task.is_reviewed(mode))
}

/// Whether somebody else judges that nothing had to be done: the reviewer, if the agent says so, or a person.
fn may_change_nothing(state: &RunState, iteration: &Iteration) -> bool {
    let report = iteration.report.as_deref();
    let says_finished = report.and_then(AgentReport::says_finished) == Some(true);
    state.is_prompt()
        || iteration.kind == Kind::Apply
        || (says_finished && is_reviewed(state, iteration.task))
}

/// Acts that reject an attempt whatever the gates say.
pub(super) fn breaches(state: &RunState, captured: &Captured) -> Vec<Reason> {
    let violations = captured.violations.iter();
    let mut reasons: Vec<_> =
        violations.map(|violation| Reason::Violated { violation: violation.clone() }).collect();
    if state.start.settings.gates.protect_mode == ProtectMode::Deny {
        let protected = captured.touched.iter().filter_map(|touched| match &touched.exposure {
            Exposure::Protected { glob } => {
                Some(Reason::ProtectedPath { path: touched.path.clone(), glob: glob.clone() })
            }
            _ => None,
        });
        reasons.extend(protected.take(MOST_PROTECTED));
    }
    reasons
}

/// Whether gates or checks are missing from the results because the run is stopping.
pub(super) fn cut_short(state: &RunState, task: usize, results: &GateResults) -> bool {
    let checks = state.task(task).map_or(0, |task| {
        task.acceptance_criteria.iter().filter(|criterion| criterion.check().is_some()).count()
    });
    let interrupted = |end: CommandEnd| end == CommandEnd::Interrupted;
    results.gates.len() < state.start.gates.len()
        || results.checks.len() < checks
        || results.gates.iter().any(|gate| interrupted(gate.end))
        || results.checks.iter().any(|check| interrupted(check.end))
}

/// Whether an accepted attempt finishes its task: a prompt only once its completion is claimed, or a person says so.
pub(super) fn completes(state: &RunState, iteration: &Iteration) -> bool {
    !state.is_prompt()
        || iteration.kind == Kind::Apply
        || iteration.report.as_ref().is_some_and(|report| report.claimed)
}

fn judge_gates(
    state: &RunState,
    results: &GateResults,
    reasons: &mut Vec<Reason>,
    labels: &mut Vec<Label>,
) {
    for spec in state.start.gates.iter().filter(|spec| spec.severity == Severity::Hard) {
        let gate = spec.name.clone();
        let Some(report) = results.gates.iter().find(|report| report.gate == spec.name) else {
            reasons.push(Reason::GateFailed { gate, exit_code: -1, new_failures: Vec::new() });
            continue;
        };
        let before = state.baseline.iter().flatten().find(|known| known.gate == spec.name);
        let standing = compare(report, spec, before);
        match standing.clone() {
            Standing::Green | Standing::SoftRed => {}
            Standing::Meddled { files } => reasons.push(Reason::ChangedFiles { by: gate, files }),
            Standing::GreenFlaky => labels.push(Label::Flaky { gate }),
            Standing::RedAsBefore => labels.push(Label::RedBaseline { gate }),
            Standing::Failed { new_failures } => {
                let exit_code = report.end.exit_code();
                reasons.push(Reason::GateFailed { gate, exit_code, new_failures });
            }
            Standing::NoTests => reasons.push(Reason::NoTests { gate }),
            Standing::Interrupted => reasons.push(Reason::GatesInterrupted),
        }
        if standing.accepts() && !report.changed.is_empty() {
            labels.push(Label::ChangesFiles { gate: spec.name.clone() });
        }
    }
}

/// Criterion checks are never baselined.
fn judge_checks(state: &RunState, task: usize, results: &GateResults, reasons: &mut Vec<Reason>) {
    let criteria = state.task(task).map(|task| task.acceptance_criteria.as_slice());
    for (at, criterion) in criteria.into_iter().flatten().enumerate() {
        let Some(command) = criterion.check() else {
            continue;
        };
        let report = results.checks.iter().find(|check| check.criterion == at);
        let end = report.map(|check| check.end);
        if !end.is_some_and(CommandEnd::succeeded) {
            reasons.push(Reason::CheckFailed {
                criterion: criterion.text().to_owned(),
                command: command.to_owned(),
                exit_code: end.map_or(-1, CommandEnd::exit_code),
            });
        } else if let Some(check) = report.filter(|check| !check.changed.is_empty()) {
            let files = check.changed.clone();
            reasons.push(Reason::ChangedFiles { by: command.to_owned(), files });
        }
    }
}

/// An agent that says it is not finished is believed, unless every criterion has a check that passed.
fn held_back(state: &RunState, task: usize, report: &AgentReport) -> bool {
    let says_unfinished = report.says_finished() == Some(false);
    let fully_checked = state.task(task).is_some_and(Task::fully_checked);
    says_unfinished && !fully_checked && !state.is_prompt()
}

pub(super) fn hard_gates(state: &RunState) -> usize {
    state.start.gates.iter().filter(|spec| spec.severity == Severity::Hard).count()
}

/// What of a failure does not depend on the task: the gates that rejected it, whatever its own checks say.
pub(super) fn shared_print(results: Option<&GateResults>, verdict: &Verdict) -> String {
    let rejects = |name: &str| {
        verdict.reasons.iter().any(|reason| match reason {
            Reason::GateFailed { gate: by, .. }
            | Reason::NoTests { gate: by }
            | Reason::ChangedFiles { by, .. } => by == name,
            _ => false,
        })
    };
    let gates = results.into_iter().flat_map(|results| &results.gates);
    let failed: Vec<_> = gates.filter(|gate| rejects(&gate.gate)).map(FailurePart::from).collect();
    if failed.is_empty() { verdict.fingerprint.clone() } else { fingerprint(&failed) }
}

/// Empty where nothing failed: that an agent says it is not finished is like no other failure.
fn print_of(results: &GateResults, reasons: &[Reason]) -> String {
    if reasons.iter().all(|reason| *reason == Reason::Unfinished) {
        return String::new();
    }
    let words: Vec<String> = reasons.iter().map(Reason::describe).collect();
    let gates = results.gates.iter().filter(|gate| !gate.end.succeeded());
    let checks = results.checks.iter().filter(|check| !check.end.succeeded());
    let said =
        words.iter().map(|word| FailurePart { gate: word, failing: &[], output: "", gist: "" });
    let parts: Vec<_> =
        gates.map(FailurePart::from).chain(checks.map(FailurePart::from)).chain(said).collect();
    fingerprint(&parts)
}
