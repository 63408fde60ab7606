//! Whether calls that keep failing say something about their task or about the agent, and what follows.

use crate::{
    event::{Event, Source},
    run::{Iteration, RunState, limits},
    vocabulary::Stage,
};

/// Whether the task is to blame for calls that keep failing: no other task failed since the last good call, and there
/// was such a call or there is other work to try the agent on.
pub(super) fn is_the_tasks(state: &RunState, iteration: &Iteration) -> bool {
    let has_plan = matches!(state.start.source, Source::Plan | Source::Tasks { .. });
    let record = state.blame.of(iteration.kind);
    let task = state.task_id(iteration.task);
    let is_alone = record.failed_on.as_ref().is_none_or(|other| *other == task);
    has_plan && is_alone && (record.has_worked || state.has_other_work(iteration.task))
}

/// Parks a task that the agent keeps failing on; the run continues with others.
pub(super) fn put_aside(state: &RunState, iteration: &Iteration) -> Vec<Event> {
    let ending = iteration.report.as_ref().map(|report| &report.ending);
    let words = ending.map(|ending| limits::agent_words(state, iteration, ending));
    let words = words.unwrap_or_default();
    let why = match state.counters.uncharged_in_a_row {
        0 => words,
        before => format!("{} calls in a row failed; the last: {words}", before + 1),
    };
    vec![
        Event::AgentKeptFailing { task: state.task_id(iteration.task), why },
        Event::Proceeded { to: Stage::Park },
    ]
}

/// What to do about an agent that keeps failing; the task that it failed on before is not to blame.
pub(super) fn help_with_agent(state: &RunState, iteration: &Iteration) -> String {
    let run = &state.run;
    let logs = format!("see its output in .ralph/runs/{run}/iterations/{:04}", iteration.number);
    let task = state.task_id(iteration.task);
    match state.blame.of(iteration.kind).failed_on.as_ref().filter(|other| **other != task) {
        Some(other) => format!("{logs}, then run ralph task retry {other} and ralph resume"),
        None => format!("{logs}, then run ralph resume"),
    }
}
