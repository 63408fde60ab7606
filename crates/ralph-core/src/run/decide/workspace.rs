//! Opening, resuming and failing: what happens around the iterations.

use super::proposals;
use crate::{
    event::{Event, Pinned, StopHow},
    gates::report::{GateResults, Severity},
    input::{By, Failure, FailureClass, Reloaded, Resumption, Workspace},
    outcome::Outcome,
    preflight::pin::pin,
    run::{Phase, RunState},
    settings::BaselineMode,
};

/// A finished run is resumed only where something is left that ralph could do, and by another process only where a
/// signal made the last one leave.
pub(super) fn resumed(state: &RunState, how: &Resumption) -> Vec<Event> {
    match state.outcome() {
        Some(outcome)
            if how.by == By::Machine && !matches!(outcome, Outcome::Interrupted { .. }) =>
        {
            return Vec::new();
        }
        Some(Outcome::Done | Outcome::Drafted) if !how.requests_wait => return Vec::new(),
        Some(Outcome::NeedsPerson { .. }) if !how.requests_wait && state.pick().is_none() => {
            return Vec::new();
        }
        _ => {}
    }
    let pinned = how.reloaded.as_ref().and_then(|reloaded| {
        let gates = pin(&reloaded.settings, &state.start.plan).ok()?;
        let Reloaded { settings, library, flags } = (**reloaded).clone();
        Some(Box::new(Pinned { settings, gates, library, flags }))
    });
    let mut events = vec![Event::RunResumed {
        by: how.by,
        version: how.version.clone(),
        max_iterations: how.max_iterations,
        is_limit_given: how.is_limit_given,
        pinned,
    }];
    let other = how.isolation.clone().filter(|isolation| *isolation != state.start.isolation);
    events.extend(other.map(|isolation| Event::IsolationChanged { isolation }));
    events.extend(how.plan_edit.iter().flat_map(|edited| proposals::found(state, edited)));
    events
}

/// The workspace is there. A wait that was under way continues, unless the run was asked to stop meanwhile.
pub(super) fn opened(state: &RunState, then: &Phase, workspace: &Workspace) -> Vec<Event> {
    let mut events = vec![Event::WorkspaceOpened(workspace.clone())];
    if state.stop.is_some() && matches!(then, Phase::Waiting { .. }) {
        events.push(Event::WaitEnded);
    }
    events
}

/// A signal that came while the run was ending is still what a caller must see, unless all is done.
pub(super) fn final_outcome(state: &RunState, outcome: Outcome) -> Outcome {
    match state.stop {
        Some(StopHow::Signal { .. }) if outcome != Outcome::Done => {
            outcome.graver(state.stopped_outcome())
        }
        _ => outcome,
    }
}

/// Gates ran on the tree the run begins with.
pub(super) fn baselined(state: &RunState, results: &GateResults) -> Vec<Event> {
    if state.stopping_now() {
        return vec![Event::RunEnding { outcome: state.stopped_outcome() }];
    }
    let tree = state.head_tree.clone();
    let red: Vec<_> = state
        .start
        .gates
        .iter()
        .filter(|spec| spec.severity == Severity::Hard)
        .filter(|spec| results.gates.iter().any(|r| r.gate == spec.name && !r.end.succeeded()))
        .map(|spec| spec.name.clone())
        .collect();
    if !red.is_empty() && state.start.settings.gates.baseline == BaselineMode::Require {
        // Not recorded: a run that is resumed must find them green.
        return vec![Event::RunEnding {
            outcome: Outcome::Preflight {
                why: format!("gates fail before any work: {}", red.join(", ")),
                help: "make these gates pass, then run ralph resume; or set gates.baseline = \"record\" and \
                       run ralph resume --reload-settings"
                    .into(),
            },
        }];
    }
    vec![Event::BaselineRecorded { tree, results: results.clone() }]
}

/// ralph could not do its own job: the run ends, and says so.
pub(super) fn failed(state: &RunState, failure: &Failure) -> Vec<Event> {
    let Failure { class, what: why, help } = failure.clone();
    let outcome = match class {
        FailureClass::Workspace => Outcome::Workspace { why, help },
        FailureClass::Agent => Outcome::AgentUnusable { why, help },
        FailureClass::Preflight => Outcome::Preflight { why, help },
        FailureClass::Policy => Outcome::Refused { why, help },
        FailureClass::Bug => Outcome::Bug { why },
    };
    match &state.phase {
        Phase::Finished { .. } | Phase::Waiting { .. } | Phase::Paused { .. } => Vec::new(),
        Phase::Opening { .. } => {
            vec![Event::RunFinished { outcome: final_outcome(state, outcome), notes: Vec::new() }]
        }
        Phase::Closing { outcome: earlier } => {
            let notes = vec![format!("cannot close the workspace: {}", failure.what)];
            vec![Event::RunFinished {
                outcome: final_outcome(state, earlier.clone().graver(outcome)),
                notes,
            }]
        }
        _ => vec![Event::RunEnding { outcome }],
    }
}
