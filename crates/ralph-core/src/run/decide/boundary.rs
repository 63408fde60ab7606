//! Between iterations: requests, limits, what to work on next, or how the run ends.

use super::{memory, planning, policy, request, review, steering};
use crate::{
    event::{Event, IterationStart},
    input::{Looked, Wish},
    outcome::Outcome,
    plan::Status,
    run::{
        RunState, brief, limits, prove,
        who::{self, Choice, Who},
    },
    time::Timestamp,
    vocabulary::{Kind, Stage},
};

/// What a look around leads to.
pub(super) fn looked(state: &RunState, at: Timestamp, looked: &Looked) -> Vec<Event> {
    let mut events = Vec::new();
    let mut stopping = state.stop.is_some();
    for (at, wish) in looked.requests.iter().enumerate() {
        if looked.requests[..at].iter().any(|seen| seen.id == wish.id) {
            continue;
        }
        let taken = request::asked(state, wish);
        let decides = matches!(wish.wish, Wish::Task { .. } | Wish::Pause { .. } | Wish::Resume);
        if decides && !taken.is_empty() {
            // What comes next depends on it: look again with it done.
            events.extend(taken);
            return events;
        }
        stopping |= taken.iter().any(|event| matches!(event, Event::StopRequested { .. }));
        events.extend(taken);
    }
    if let Some(text) = looked.prompt.as_ref().filter(|text| **text != state.prompt) {
        events.push(Event::PromptRead { text: text.clone() });
    }
    events.extend(if let Some(outcome) = planning::outcome(state) {
        vec![Event::RunEnding { outcome }]
    } else if state.complete() {
        vec![Event::RunEnding { outcome: state.complete_outcome() }]
    } else if stopping {
        vec![Event::RunEnding { outcome: state.stopped_outcome() }]
    } else {
        steering::or_pause(state, go_on(state, at))
    });
    events
}

/// Nothing starts beyond a limit; otherwise the same iteration again, or the next task.
///
/// A limit is the reason of an end only where it kept something from starting.
fn go_on(state: &RunState, at: Timestamp) -> Vec<Event> {
    if let Some(events) = review::not_wanted(state) {
        return events;
    }
    let again = state.again.as_ref();
    let Some(task) = again.map(|again| again.task).or_else(|| state.pick()) else {
        return vec![Event::RunEnding { outcome: state.stuck_outcome() }];
    };
    if let Some(outcome) = limits::reached(state, at) {
        return vec![Event::RunEnding { outcome }];
    }
    let (number, retry) =
        again.map_or((state.counters.iterations + 1, 0), |again| (again.number, again.retry));
    // A person's approval calls no agent, so neither the task's limits nor a rest have a say in it.
    let kind = state.kind_of(task);
    let calls = kind != Kind::Apply;
    if let Some(which) = limits::task_reached(state, task).filter(|_| calls) {
        let who = who::meant(state, task, kind);
        return over_its_limit(state, which, start(state, task, (number, retry), who));
    }
    if let Some(until) = limits::delay(state, at).filter(|_| again.is_none()) {
        return vec![Event::WaitBegan { until, why: "pause between iterations".into() }];
    }
    match who::choose(state, at, task, kind) {
        Choice::AllRest { until, why } if calls => wait(state, at, until, why),
        Choice::Free(who) => {
            let mut events = memory::due_before(state, at, task, kind);
            if !matches!(events.last(), Some(Event::CompactionBegan(_))) {
                events.extend(start(state, task, (number, retry), who));
            }
            events
        }
        Choice::AllRest { .. } => {
            start(state, task, (number, retry), who::meant(state, task, kind))
        }
    }
}

/// A task that may not continue is given up without another call; a prompt or a plan to draft is all there is, so the run ends.
fn over_its_limit(state: &RunState, which: String, started: Vec<Event>) -> Vec<Event> {
    if state.is_prompt() || state.is_planning() {
        return vec![Event::RunEnding { outcome: Outcome::Limit { which } }];
    }
    let mut events = started;
    events.push(Event::Proceeded { to: Stage::GiveUp });
    events
}

fn start(state: &RunState, at: usize, (iteration, retry): (u32, u32), who: Who) -> Vec<Event> {
    let (Some(task), Some(progress)) = (state.task(at), state.tasks.get(at)) else {
        return vec![Event::RunEnding {
            outcome: Outcome::Bug { why: format!("no task at {at}") },
        }];
    };
    let kind = state.kind_of(at);
    let mut events = Vec::new();
    if progress.status != Status::InProgress && !matches!(kind, Kind::Review | Kind::Plan) {
        events.push(prove::moved(state, at, Status::InProgress, String::new()));
    }
    let problem = brief::template_problem(state, at, &who.agent).filter(|_| kind != Kind::Apply);
    events.extend(problem.map(|text| Event::Warned { text }));
    events.push(Event::IterationStarted(IterationStart {
        iteration,
        retry,
        kind,
        task: task.id.clone(),
        title: task.title.clone(),
        attempt: state.next_attempt(at),
        max_attempts: state.max_attempts(at),
        agent: who.agent,
        model: who.model,
    }));
    events
}

/// Nobody can be called: the first one that is back is waited for, unless that is too long.
fn wait(state: &RunState, now: Timestamp, until: Option<Timestamp>, why: String) -> Vec<Event> {
    let most = state.start.settings.limits.max_wait.0;
    vec![match until.filter(|until| until.since(now) <= most) {
        Some(until) => Event::WaitBegan { until, why },
        None => {
            Event::RunEnding { outcome: Outcome::AgentUnusable { why, help: policy::LATER.into() } }
        }
    }]
}
