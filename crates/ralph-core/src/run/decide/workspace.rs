//! Opening, resuming and failing: what happens around the iterations.

use crate::{
    event::Event,
    gates::report::{GateResults, Severity},
    input::{Failure, FailureClass},
    outcome::Outcome,
    run::{Phase, RunState},
    settings::BaselineMode,
};

pub(super) fn resumed(state: &RunState, version: &str, max_iterations: Option<u32>) -> Vec<Event> {
    if state.outcome().is_some_and(|outcome| !outcome.resumable()) {
        return Vec::new();
    }
    vec![Event::RunResumed {
        version: version.to_owned(),
        max_iterations,
    }]
}

/// Gates ran on the tree the run begins with.
pub(super) fn baselined(state: &RunState, results: &GateResults) -> Vec<Event> {
    if state.stopping_now() {
        return vec![Event::RunEnding {
            outcome: state.stopped_outcome(),
        }];
    }
    let tree = state.head_tree.clone();
    let red: Vec<_> = state
        .start
        .gates
        .iter()
        .filter(|spec| spec.severity == Severity::Hard)
        .filter(|spec| {
            results
                .gates
                .iter()
                .any(|r| r.gate == spec.name && !r.end.succeeded())
        })
        .map(|spec| spec.name.clone())
        .collect();
    let mut events = vec![Event::BaselineRecorded {
        tree,
        results: results.clone(),
    }];
    if !red.is_empty() && state.start.settings.gates.baseline == BaselineMode::Require {
        events.push(Event::RunEnding {
            outcome: Outcome::Preflight {
                why: format!("red before any work: {}", red.join(", ")),
                help: "make these gates green first, or set gates.baseline = \"record\"".into(),
            },
        });
    }
    events
}

/// ralph could not do its own job: the run ends, and says so.
pub(super) fn failed(state: &RunState, failure: &Failure) -> Vec<Event> {
    let Failure {
        class,
        what: why,
        help,
    } = failure.clone();
    let outcome = match class {
        FailureClass::Workspace => Outcome::Workspace { why, help },
        FailureClass::Agent => Outcome::AgentUnusable { why, help },
        FailureClass::Preflight => Outcome::Preflight { why, help },
        FailureClass::Policy => Outcome::Refused { why, help },
        FailureClass::Bug => Outcome::Bug { why },
    };
    match &state.phase {
        Phase::Finished { .. } => Vec::new(),
        Phase::Opening { .. } => vec![Event::RunFinished {
            outcome,
            notes: Vec::new(),
        }],
        Phase::Closing { outcome: earlier } => {
            let notes = vec![format!(
                "the workspace could not be closed: {}",
                failure.what
            )];
            vec![Event::RunFinished {
                outcome: earlier.clone().graver(outcome),
                notes,
            }]
        }
        _ => vec![Event::RunEnding { outcome }],
    }
}
