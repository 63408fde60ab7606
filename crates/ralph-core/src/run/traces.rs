//! What an attempt leaves for stuck detection: a fold of its verdict and its gates, no judgement.

use super::{Iteration, RunState};
use crate::{
    gates::report::GateResults,
    input::AgentReport,
    stuck::{self, Gap, Trace, gap},
};

/// The trace of the attempt under way, once it has a verdict.
pub(super) fn of(state: &RunState, iteration: &Iteration, attempt: u32) -> Option<Trace> {
    let verdict = iteration.verdict.as_ref()?;
    let captured = iteration.captured.as_ref();
    let detail = state.detail(iteration.task);
    Some(Trace {
        attempt,
        fingerprint: verdict.fingerprint.clone(),
        failing: iteration.results.as_ref().and_then(failing),
        tree: verdict.tree.clone(),
        changed: captured.is_none_or(|captured| captured.changed > 0),
        gap: iteration.results.as_ref().and_then(gap_in),
        shifts: detail.map_or(0, |detail| detail.escalated.shifts),
        reviews: detail.map_or(0, |detail| detail.change_requests),
    })
}

/// What the agent says it tried.
pub(super) fn tried(report: &AgentReport) -> String {
    match &report.handoff {
        Some(handoff) => handoff.task_completed.summary.clone(),
        None => report.last_words.clone(),
    }
}

/// How many tests and checks fail, where every red gate says so.
fn failing(results: &GateResults) -> Option<u32> {
    let red = results.gates.iter().filter(|gate| !gate.end.succeeded());
    let tests: Option<usize> = red.map(|gate| gate.tests.failing.as_ref().map(Vec::len)).sum();
    let checks = results.checks.iter().filter(|check| !check.end.succeeded()).count();
    u32::try_from(tests? + checks).ok()
}

/// What to look for among the tree's files, where the failure says that something is missing.
pub(super) fn hints(results: &GateResults) -> Vec<String> {
    gap_in(results).map(|gap| stuck::hints(&gap, red_outputs(results))).unwrap_or_default()
}

fn gap_in(results: &GateResults) -> Option<Gap> {
    red_outputs(results).find_map(gap)
}

fn red_outputs(results: &GateResults) -> impl Iterator<Item = &str> {
    let gates = results.gates.iter().filter(|g| !g.end.succeeded()).map(|g| g.output.as_str());
    let checks = results.checks.iter().filter(|c| !c.end.succeeded()).map(|c| c.output.as_str());
    gates.chain(checks)
}
