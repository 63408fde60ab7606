//! The verdict on an attempt, from facts alone: gates, checks, the tree. The agent's word can only hold back.

use super::{Iteration, Reason, RunState, Verdict};
use crate::{
    event::Source,
    evidence::Label,
    fingerprint::{FailurePart, fingerprint},
    gates::{
        baseline::{Standing, compare},
        report::{CommandEnd, GateResults, Severity},
    },
    input::{AgentReport, Captured},
    plan::Task,
};

/// Judges the tree that the gates ran on.
///
/// Invariant: nothing to verify with means not accepted.
pub(super) fn judge(
    state: &RunState,
    task: usize,
    report: &AgentReport,
    captured: &Captured,
    results: &GateResults,
) -> Verdict {
    let mut reasons = Vec::new();
    let mut labels = Vec::new();
    judge_gates(state, results, &mut reasons, &mut labels);
    judge_checks(state, task, results, &mut reasons);
    let trusted = state.start.settings.claims.trust_agent;
    let proved = results.checks.iter().any(|check| check.end.succeeded());
    let verified = proved || hard_gates(state) > 0;
    if captured.changed == 0 && !proved && !is_prompt(state) {
        reasons.push(Reason::NothingChanged);
    }
    if !verified && !trusted {
        reasons.push(Reason::NothingToVerifyWith);
    }
    if held_back(state, task, report) {
        reasons.push(Reason::Unfinished);
    }
    if !verified {
        labels.push(Label::Unverified);
    }
    let sentences = state.start.plan.tasks.get(task).map_or(0, Task::sentences);
    if sentences > 0 {
        labels.push(Label::Unreviewed { criteria: sentences });
    }
    let accepted = reasons.is_empty();
    Verdict {
        tree: captured.tree.clone(),
        accepted,
        fingerprint: if accepted { String::new() } else { print_of(results, &reasons) },
        reasons,
        labels,
    }
}

/// The verdict on a tree that must not be judged at all.
pub(super) fn violated(captured: &Captured) -> Verdict {
    let reasons: Vec<_> = captured
        .violations
        .iter()
        .map(|violation| Reason::Violated { violation: violation.clone() })
        .collect();
    Verdict {
        tree: captured.tree.clone(),
        accepted: false,
        fingerprint: print_of(&GateResults::default(), &reasons),
        reasons,
        labels: Vec::new(),
    }
}

/// Whether gates or checks are missing from the results because the run is stopping.
pub(super) fn cut_short(state: &RunState, task: usize, results: &GateResults) -> bool {
    let checks = state.start.plan.tasks.get(task).map_or(0, |task| {
        task.acceptance_criteria.iter().filter(|criterion| criterion.check().is_some()).count()
    });
    let interrupted = |end: CommandEnd| end == CommandEnd::Interrupted;
    results.gates.len() < state.start.gates.len()
        || results.checks.len() < checks
        || results.gates.iter().any(|gate| interrupted(gate.end))
        || results.checks.iter().any(|check| interrupted(check.end))
}

/// Whether an accepted attempt finishes its task: a prompt only once its completion is claimed.
pub(super) fn completes(state: &RunState, iteration: &Iteration) -> bool {
    !is_prompt(state) || iteration.report.as_ref().is_some_and(|report| report.claimed)
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
        match compare(report, spec, before) {
            Standing::Green | Standing::SoftRed => {}
            Standing::GreenFlaky => labels.push(Label::Flaky { gate }),
            Standing::RedAsBefore => labels.push(Label::RedBaseline { gate }),
            Standing::Failed { new_failures } => {
                let exit_code = report.end.exit_code();
                reasons.push(Reason::GateFailed { gate, exit_code, new_failures });
            }
            Standing::NoTests => reasons.push(Reason::NoTests { gate }),
            Standing::Interrupted => reasons.push(Reason::GatesInterrupted),
        }
    }
}

/// Criterion checks are never baselined.
fn judge_checks(state: &RunState, task: usize, results: &GateResults, reasons: &mut Vec<Reason>) {
    let criteria = state.start.plan.tasks.get(task).map(|task| task.acceptance_criteria.as_slice());
    for (at, criterion) in criteria.into_iter().flatten().enumerate() {
        let Some(command) = criterion.check() else {
            continue;
        };
        let end = results.checks.iter().find(|check| check.criterion == at).map(|check| check.end);
        if !end.is_some_and(CommandEnd::succeeded) {
            reasons.push(Reason::CheckFailed {
                criterion: criterion.text().to_owned(),
                command: command.to_owned(),
                exit_code: end.map_or(-1, CommandEnd::exit_code),
            });
        }
    }
}

/// An agent that says it is not finished is believed, unless every criterion has a check that passed.
fn held_back(state: &RunState, task: usize, report: &AgentReport) -> bool {
    let says_unfinished = report
        .handoff
        .as_ref()
        .is_some_and(|handoff| handoff.task_completed.fully_complete == Some(false));
    let fully_checked = state.start.plan.tasks.get(task).is_some_and(Task::fully_checked);
    says_unfinished && !fully_checked && !is_prompt(state)
}

fn is_prompt(state: &RunState) -> bool {
    matches!(state.start.source, Source::Prompt { .. })
}

fn hard_gates(state: &RunState) -> usize {
    state.start.gates.iter().filter(|spec| spec.severity == Severity::Hard).count()
}

fn print_of(results: &GateResults, reasons: &[Reason]) -> String {
    let words: Vec<String> = reasons.iter().map(Reason::describe).collect();
    let mut parts: Vec<FailurePart<'_>> = results
        .gates
        .iter()
        .filter(|gate| !gate.end.succeeded())
        .map(|gate| FailurePart {
            gate: &gate.gate,
            failing: gate.tests.failing.as_deref().unwrap_or_default(),
            output: &gate.output,
        })
        .collect();
    parts.extend(words.iter().map(|word| FailurePart { gate: word, failing: &[], output: "" }));
    fingerprint(&parts)
}
