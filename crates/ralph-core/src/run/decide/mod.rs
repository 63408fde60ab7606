//! Every decision of a run, and nothing else: an input and the state in, events out.
//!
//! Total: any input is legal at any time, and one that does not fit the moment changes nothing.

mod attempt;
mod blame;
mod boundary;
mod ending;
mod escalation;
mod memory;
mod people;
mod planning;
mod policy;
mod proposals;
mod request;
mod review;
mod steering;
mod workspace;

use super::{Iteration, Phase, RunState, limits};
use crate::{
    effect::EffectId,
    event::Event,
    gates::report::GateResults,
    input::{Done, Input, What},
    time::Timestamp,
    vocabulary::{Kind, Stage},
};

/// What follows from this input. No events: nothing does.
pub fn decide(state: &RunState, input: &Input) -> Vec<Event> {
    match &input.what {
        What::Done(id, done) if *id == EffectId(state.effects) => {
            let mut events = up_to_the_end(effect_done(state, input.at, done));
            if goes_on(&events) {
                let words = [limits::nearly_over(state, input.at), limits::unmeasured(state, done)];
                let warned = words.into_iter().flatten().map(|text| Event::Warned { text });
                events.splice(0..0, warned);
            }
            if state.is_planning() { planning::without_resume(events) } else { events }
        }
        What::Done(..) => Vec::new(),
        What::Signal { signal, count } => request::signal(state, *signal, *count),
        What::Asked(request) => request::asked(state, request),
        What::Woke => match &state.phase {
            Phase::Waiting { until } if input.at >= *until => vec![Event::WaitEnded],
            _ => Vec::new(),
        },
        What::Resumed(resumption) => workspace::resumed(state, resumption),
    }
}

fn goes_on(events: &[Event]) -> bool {
    let is_end =
        |event: &Event| matches!(event, Event::RunEnding { .. } | Event::RunFinished { .. });
    !events.is_empty() && !events.iter().any(is_end)
}

/// Nothing follows the end of a run: what came after it would bring the run back to life.
fn up_to_the_end(mut events: Vec<Event>) -> Vec<Event> {
    let end = events.iter().position(|event| matches!(event, Event::RunEnding { .. }));
    events.truncate(end.map_or(events.len(), |end| end + 1));
    events
}

fn effect_done(state: &RunState, at: Timestamp, done: &Done) -> Vec<Event> {
    if let (Phase::Compacting(start), Done::Failed(failure)) = (&state.phase, done) {
        return memory::not_by_agent(state, start, &failure.what);
    }
    if let Done::Failed(failure) = done {
        return workspace::failed(state, failure);
    }
    match (&state.phase, done) {
        (Phase::Compacting(start), Done::AgentEnded(report)) => {
            memory::ended(state, at, start, report)
        }
        (Phase::Compacting(start), Done::NotBegun) => {
            memory::not_by_agent(state, start, "was not called")
        }
        (Phase::Opening { then }, Done::WorkspaceOpened(workspace)) => {
            workspace::opened(state, then, workspace)
        }
        (Phase::Baselining, Done::BaselineRan(results)) => workspace::baselined(state, results),
        (Phase::Baselining, Done::NotBegun) => {
            vec![Event::RunEnding { outcome: state.stopped_outcome() }]
        }
        (Phase::Boundary, Done::Looked(looked)) => boundary::looked(state, at, looked),
        (Phase::Closing { outcome }, Done::WorkspaceClosed { notes }) => {
            vec![Event::RunFinished {
                outcome: workspace::final_outcome(state, outcome.clone()),
                notes: notes.clone(),
            }]
        }
        (Phase::Iterating(iteration), done) => iteration_done(state, at, iteration, done),
        _ => Vec::new(),
    }
}

fn iteration_done(
    state: &RunState,
    at: Timestamp,
    iteration: &Iteration,
    done: &Done,
) -> Vec<Event> {
    match (iteration.stage, done) {
        (Stage::Reapply, Done::Reapplied(result)) => attempt::reapplied(state, iteration, result),
        (Stage::Checkpoint, Done::CheckpointTaken(taken)) => {
            attempt::checkpointed(state, iteration, taken)
        }
        (Stage::Agent, Done::AgentEnded(report)) if iteration.kind == Kind::Review => {
            review::ended(state, at, iteration, report)
        }
        (Stage::Agent, Done::AgentEnded(report)) if iteration.kind == Kind::Plan => {
            planning::ended(state, at, iteration, report)
        }
        (Stage::Agent, Done::AgentEnded(report)) => {
            let mut events = vec![Event::AgentEnded(report.clone())];
            events.extend(policy::limited(state, at, iteration, &report.ending));
            events.push(Event::Proceeded { to: Stage::Capture });
            events
        }
        (Stage::Agent, Done::NotBegun) => ending::interrupted(state, iteration, None),
        (_, Done::TreeCaptured(captured)) if captures(iteration) => {
            attempt::captured(state, at, iteration, captured)
        }
        (Stage::Gates, Done::GatesRan(results)) => attempt::gated(state, at, iteration, results),
        (Stage::Gates, Done::NotBegun) => {
            attempt::gated(state, at, iteration, &GateResults::default())
        }
        (Stage::Commit, Done::Committed { commit }) => attempt::committed(state, iteration, commit),
        (Stage::Scm, Done::ScmTasksRan(reports)) => {
            vec![Event::ScmTasksRan { reports: reports.clone() }, Event::IterationClosed]
        }
        (Stage::Scm, Done::NotBegun) => vec![Event::IterationClosed],
        (Stage::Quarantine, Done::Quarantined { reference, files }) => {
            ending::kept(state, at, iteration, (reference, files))
        }
        (Stage::GiveUp | Stage::Park, Done::GaveUp { branch, head, tree, pushed }) => {
            ending::gave_up(state, iteration, (branch, pushed.as_ref()), (head, tree))
        }
        _ => Vec::new(),
    }
}

/// Whether the tree is asked for at this stage.
fn captures(iteration: &Iteration) -> bool {
    match iteration.stage {
        Stage::Capture => true,
        Stage::Gates => iteration.tree().is_none(),
        Stage::Commit => iteration.accepted_tree().is_none(),
        _ => false,
    }
}
