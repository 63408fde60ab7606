//! What is done about a task that makes no progress, and when nothing more is.

use crate::{
    event::Event,
    run::{Iteration, RunState, traces},
    stuck::{Measures, Stuck, Trace, detect, escalate},
};

/// What follows for a task that an attempt or a review set back.
#[derive(Default)]
pub(super) struct Escalation {
    /// Said where the task is stuck.
    pub(super) said: Option<Event>,
    /// Nothing is left to try.
    pub(super) gives_up: bool,
}

impl Escalation {
    /// The same for an attempt after which none follows: a stuck task is said to have failed as often as it has.
    pub(super) fn given_up(self) -> Option<Event> {
        match self.said? {
            Event::Escalated { task, stuck, .. } => {
                Some(Event::Escalated { task, stuck, measures: Measures::default() })
            }
            other => Some(other),
        }
    }
}

/// An attempt was rejected. `files` are those of its tree that its failure leads to.
pub(super) fn after_attempt(
    state: &RunState,
    iteration: &Iteration,
    attempt: u32,
    files: &[String],
) -> Escalation {
    let known = state.detail(iteration.task).map(|detail| detail.traces.iter().cloned());
    let mut history: Vec<Trace> = known.into_iter().flatten().collect();
    history.extend(traces::of(state, iteration, attempt));
    let stuck = detect(&history, &[]);
    stuck.map(|stuck| escalation(state, iteration.task, stuck, files)).unwrap_or_default()
}

/// A review asked for changes.
pub(super) fn after_review(state: &RunState, task: usize, print: String) -> Escalation {
    let known = state.detail(task).map(|detail| detail.requests.iter().cloned());
    let requests: Vec<String> = known.into_iter().flatten().chain([print]).collect();
    let stuck = detect(&[], &requests);
    stuck.map(|stuck| escalation(state, task, stuck, &[])).unwrap_or_default()
}

fn escalation(state: &RunState, task: usize, stuck: Stuck, files: &[String]) -> Escalation {
    let ladder = state.start.settings.escalation.agents.len();
    let done = state.detail(task).map(|detail| detail.escalated).unwrap_or_default();
    let measures = escalate(&stuck, files, &done, ladder);
    Escalation {
        gives_up: measures.is_none(),
        said: Some(Event::Escalated {
            task: state.task_id(task),
            stuck,
            measures: measures.unwrap_or_default(),
        }),
    }
}
