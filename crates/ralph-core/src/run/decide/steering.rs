//! What people say to the agents, and pauses. A word is taken at once and heard by the next call; a pause begins
//! where nothing is under way.

use crate::{
    event::{Event, Source},
    ids::TaskId,
    input::Wish,
    run::{Phase, RunState, steering::hears},
    vocabulary::{Stage, Steer},
};

/// What a wish leads to; `None`: it is not for now and waits in the inbox.
pub(super) fn asked(state: &RunState, wish: &Wish) -> Option<Vec<Event>> {
    // What is said to a run that is at its end is for the next one.
    if matches!(state.phase, Phase::Closing { .. } | Phase::Finished { .. }) {
        return None;
    }
    match wish {
        Wish::Steer { task, text, now } => steered(state, task.as_ref(), text, *now),
        Wish::Pause { now } => Some(pause(state, *now)),
        Wish::Resume => Some(go_on(state)),
        Wish::Stop | Wish::StopNow | Wish::Task { .. } => None,
    }
}

impl RunState {
    /// Whether this run works on what a word is about; `None` means everything.
    pub fn hears(&self, task: Option<&TaskId>) -> bool {
        match (&self.start.source, task) {
            // What is said to those who work is not for a planner.
            (Source::Planning { .. }, _) | (Source::Prompt { .. }, Some(_)) => false,
            (_, None) => true,
            (Source::Tasks { ids }, Some(task)) => ids.contains(task),
            (_, Some(task)) => self.position(task).is_some(),
        }
    }

    /// Whether an agent works at this moment, on a task or on memory.
    fn is_calling(&self) -> bool {
        match &self.phase {
            Phase::Iterating(iteration) => iteration.stage == Stage::Agent,
            phase => matches!(phase, Phase::Compacting(_)),
        }
    }

    /// Whether an agent works at this moment that a word about this task, or about all, is for.
    fn is_heard_by_call(&self, task: Option<&TaskId>) -> bool {
        match &self.phase {
            Phase::Iterating(iteration) => {
                self.is_calling()
                    && hears(iteration.kind)
                    && task.is_none_or(|task| self.position(task) == Some(iteration.task))
            }
            _ => false,
        }
    }
}

fn steered(state: &RunState, task: Option<&TaskId>, text: &str, now: bool) -> Option<Vec<Event>> {
    if !state.hears(task) {
        return None;
    }
    let at = task.and_then(|task| state.position(task)).and_then(|at| state.tasks.get(at));
    if let (Some(progress), Some(task)) = (at, task)
        && progress.status.satisfies()
    {
        let is = progress.status.word();
        return Some(said(format!(
            "message not taken: {task} is {is}, so no agent will work on it"
        )));
    }
    let word = Steer::new(task.cloned(), text);
    if word.text.is_empty() {
        return Some(said("message not taken: it is empty".into()));
    }
    let ends_call = now && state.is_heard_by_call(task);
    Some(vec![Event::Steered { word, ends_call }])
}

fn pause(state: &RunState, now: bool) -> Vec<Event> {
    let ends_call = now && state.is_calling() && !state.steering.ends_call;
    if state.stop.is_some() {
        return said("not paused: the run is stopping".into());
    }
    let is_known = state.steering.pause || matches!(state.phase, Phase::Paused { .. });
    if is_known && !ends_call {
        return Vec::new();
    }
    vec![Event::PauseRequested { ends_call }]
}

fn go_on(state: &RunState) -> Vec<Event> {
    let is_paused = state.steering.pause || matches!(state.phase, Phase::Paused { .. });
    if is_paused { vec![Event::Unpaused] } else { Vec::new() }
}

fn said(text: String) -> Vec<Event> {
    vec![Event::Warned { text }]
}

/// What would start does not where the run is to pause. One that ends anyway ends.
pub(super) fn or_pause(state: &RunState, goes_on: Vec<Event>) -> Vec<Event> {
    let ends = goes_on.iter().any(|event| matches!(event, Event::RunEnding { .. }));
    if state.steering.pause && !ends { vec![Event::Paused] } else { goes_on }
}
