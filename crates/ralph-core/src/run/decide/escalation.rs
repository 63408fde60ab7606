//! What is done about a task that makes no progress, and when nothing more is.

use crate::{
    event::Event,
    run::{Iteration, RunState, traces},
    stuck::{Measures, Step, Stuck, Trace, detect, escalate},
};

/// Whether the task goes on, with what is said about it.
pub(super) enum Answer {
    GoOn(Vec<Event>),
    Stop(Vec<Event>),
}

/// An attempt was rejected.
pub(super) fn after_attempt(state: &RunState, iteration: &Iteration, attempt: u32) -> Answer {
    let Some(detail) = state.detail(iteration.task) else {
        return Answer::GoOn(Vec::new());
    };
    let mut history: Vec<_> = detail.traces.iter().cloned().collect();
    history.extend(traces::of(state, iteration, attempt));
    match detect(&history, &[]) {
        Some(stuck) => measures(state, iteration.task, stuck, history.last()),
        None => Answer::GoOn(Vec::new()),
    }
}

/// A review asked for changes.
pub(super) fn after_review(state: &RunState, task: usize, print: String) -> Answer {
    let Some(detail) = state.detail(task) else {
        return Answer::GoOn(Vec::new());
    };
    let mut requests: Vec<String> = detail.requests.iter().cloned().collect();
    requests.push(print);
    match detect(&[], &requests) {
        Some(stuck) => measures(state, task, stuck, None),
        None => Answer::GoOn(Vec::new()),
    }
}

fn measures(state: &RunState, task: usize, stuck: Stuck, last: Option<&Trace>) -> Answer {
    let Some(detail) = state.detail(task) else {
        return Answer::GoOn(Vec::new());
    };
    let gap = last.and_then(|trace| trace.gap.as_ref());
    let ladder = state.start.settings.escalation.agents.len();
    let id = state.task_id(task);
    match escalate(&stuck, gap, &detail.escalated, ladder) {
        Step::Measures(measures) => {
            Answer::GoOn(vec![Event::Escalated { task: id, stuck, measures }])
        }
        Step::Stop => {
            let measures = Measures::default();
            Answer::Stop(vec![Event::Escalated { task: id, stuck, measures }])
        }
    }
}
