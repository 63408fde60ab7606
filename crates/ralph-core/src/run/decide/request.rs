//! Signals and people's requests: they change what happens next, never what has happened.

use super::{people, steering};
use crate::{
    effect::How,
    event::{Event, StopHow},
    input::{Request, Wish},
    run::{Phase, RunState},
};

/// First signal asks the agent to end, the second, whichever it is, ends it now. The first one names the end.
pub(super) fn signal(state: &RunState, signal: i32, count: u32) -> Vec<Event> {
    let (signal, count) = match state.stop {
        Some(StopHow::Signal { signal: first, .. }) => (first, count.max(2)),
        _ => (signal, count),
    };
    let how = if count > 1 { How::Kill } else { How::Ask };
    stop(state, StopHow::Signal { signal, how })
}

/// A request is obeyed once, whatever happens to its file.
pub(super) fn asked(state: &RunState, request: &Request) -> Vec<Event> {
    if state.taken.contains(&request.id) {
        return Vec::new();
    }
    let follows = match &request.wish {
        Wish::Stop => stop(state, StopHow::AfterIteration),
        Wish::StopNow => stop(state, StopHow::Now),
        // It changes what the iteration under way is based on, so it waits in the inbox until that is over; one
        // about other work waits for a run that does it.
        Wish::Task { change }
            if !matches!(state.phase, Phase::Boundary) || !state.takes(change) =>
        {
            return Vec::new();
        }
        Wish::Task { change } => people::asked(state, change),
        Wish::Steer { .. } | Wish::Pause { .. } | Wish::Resume => {
            match steering::asked(state, &request.wish) {
                Some(follows) => follows,
                None => return Vec::new(),
            }
        }
    };
    let mut events = vec![Event::RequestTaken { request: request.clone() }];
    events.extend(follows);
    events
}

fn stop(state: &RunState, how: StopHow) -> Vec<Event> {
    // What a person asks for outlives the process that a signal ends.
    let known = match how {
        StopHow::Signal { .. } => state.stop,
        StopHow::AfterIteration | StopHow::Now => state.steering.stop,
    };
    if matches!(state.phase, Phase::Finished { .. }) || known >= Some(how) {
        return Vec::new();
    }
    let mut events = vec![Event::StopRequested { how }];
    if matches!(state.phase, Phase::Waiting { .. }) {
        events.push(Event::WaitEnded);
    }
    if matches!(state.phase, Phase::Paused { .. }) {
        events.push(Event::Unpaused);
    }
    events
}
