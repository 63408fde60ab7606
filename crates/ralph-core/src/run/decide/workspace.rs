//! Opening, resuming and failing: what happens around the iterations.

use super::proposals;
use crate::{
    event::{Event, Pinned, StopHow},
    gates::report::{GateReport, GateResults, GateSpec, Severity, last_lines},
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
    if let Some(outcome) = unusable_gates(state, results) {
        return vec![Event::RunEnding { outcome }];
    }
    let red = red(state, results);
    if !red.is_empty() && state.start.settings.gates.baseline == BaselineMode::Require {
        let names: Vec<&str> = red.iter().map(|(spec, _)| spec.name.as_str()).collect();
        // Not recorded: a run that is resumed must find them green.
        return vec![Event::RunEnding {
            outcome: Outcome::Preflight {
                why: format!("gates fail before any work: {}", names.join(", ")),
                help: "make these gates pass, then run ralph resume; or set gates.baseline = \"record\" and \
                       run ralph resume --reload-settings"
                    .into(),
            },
        }];
    }
    let failed = results.failed_setup.as_ref();
    let warned =
        failed.map(|setup| Event::Warned { text: format!("gates.setup: {}", setup.words()) });
    let recorded = Event::BaselineRecorded {
        tree: state.head_tree.clone(),
        results: GateResults { failed_setup: None, ..results.clone() },
    };
    warned.into_iter().chain([recorded]).collect()
}

/// Hard gates that are not green.
fn red<'a>(state: &'a RunState, results: &'a GateResults) -> Vec<(&'a GateSpec, &'a GateReport)> {
    let hard = state.start.gates.iter().filter(|spec| spec.severity == Severity::Hard);
    let report = |spec: &'a GateSpec| {
        let report = results.gates.iter().find(|report| report.gate == spec.name);
        report.filter(|report| !report.end.succeeded()).map(|report| (spec, report))
    };
    hard.filter_map(report).collect()
}

/// The end of a run whose gates could never accept work: their set-up fails, or a program of theirs cannot be started.
/// Not recorded: a run that is resumed tries them again.
fn unusable_gates(state: &RunState, results: &GateResults) -> Option<Outcome> {
    let red = red(state, results);
    if let (Some(setup), false) = (&results.failed_setup, red.is_empty()) {
        return Some(Outcome::Preflight {
            why: format!(
                "what installs the packages of the gates (gates.setup) fails before any work: {}",
                setup.words()
            ),
            help:
                "make this command work, or set gates.setup to one that does, then run ralph resume --reload-settings"
                    .into(),
        });
    }
    let (spec, report) = red.into_iter().find(|(spec, report)| {
        report.end.is_unstartable() && !is_to_be_made(spec, &report.output)
    })?;
    let said = last_lines(&report.output, 2);
    Some(Outcome::Preflight {
        why: format!(
            "gate {} cannot run here: `{}` gave exit {}: {said}",
            spec.name,
            spec.line(),
            report.end.exit_code()
        ),
        help: format!(
            "install what it needs, or change command of the [[gate]] {:?} in the settings, then run ralph resume \
             --reload-settings",
            spec.name
        ),
    })
}

/// Whether a gate is a program of the project that is not there yet: the work may make it.
fn is_to_be_made(spec: &GateSpec, output: &str) -> bool {
    let words = shell_words::split(&spec.command).unwrap_or_default();
    let is_own = |word: &&String| word.contains('/') && !word.starts_with('/');
    words.first().filter(is_own).is_some_and(|program| {
        let said = last_lines(output, 1);
        said.contains(program.as_str())
            && ["not found", "No such file"].iter().any(|words| said.contains(words))
    })
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
