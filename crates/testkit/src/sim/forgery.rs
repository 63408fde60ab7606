//! Whole decisions as planted bugs would take them.

use ralph_core::{
    ending::Ending,
    event::{Event, IterationStart, Rejection, Source, Uncharged},
    ids::CommitId,
    input::{By, Done, Input, What},
    outcome::Outcome,
    plan::Status,
    run::{Blame, CallRecord, Phase, RunState, decide},
    settings::ProtectMode,
    time::Millis,
    verdict::{Reason, Verdict},
    vocabulary::{Kind, Stage},
};

use super::{Bug, git::Git, world::World};

/// The commit before this one.
pub(super) fn previous(world: &World<'_>, of: &CommitId) -> Option<CommitId> {
    let at = world.git.find(of)?;
    world.git.commits.get(at)?.parent.map(Git::name)
}

/// An accepted verdict takes the place of the gates.
pub(super) fn without_gates(events: Vec<Event>, input: &Input) -> Vec<Event> {
    let mut changed = Vec::new();
    for event in events {
        match (&event, &input.what) {
            (
                Event::Proceeded { to: Stage::Gates },
                What::Done(_, Done::TreeCaptured(captured)),
            ) => {
                changed.push(Event::VerdictReached(Verdict {
                    tree: captured.tree.clone(),
                    accepted: true,
                    reasons: Vec::new(),
                    labels: Vec::new(),
                    fingerprint: String::new(),
                }));
                changed.push(Event::Proceeded { to: Stage::Commit });
            }
            _ => changed.push(event),
        }
    }
    changed
}

/// Decides again as if the limit were not there.
pub(super) fn on_limit(
    state: &RunState,
    input: &Input,
    events: Vec<Event>,
    word: &str,
    lift: impl Fn(&mut RunState),
) -> Vec<Event> {
    let ends = |event: &Event| matches!(event, Event::RunEnding { outcome: Outcome::Limit { which } } if which.contains(word));
    if !events.iter().any(ends) {
        return events;
    }
    let mut lifted = state.clone();
    lift(&mut lifted);
    decide(&lifted, input)
}

/// Decides as if somebody had worked on the run all the time.
pub(super) fn without_idle(state: &RunState, input: &Input) -> Vec<Event> {
    let mut busy = state.clone();
    busy.idle = Millis::default();
    decide(&busy, input)
}

/// An agent that says nothing is taken for one that broke, whatever it left.
pub(super) fn without_silence(state: &RunState, input: &Input, events: Vec<Event>) -> Vec<Event> {
    let mut broken = state.clone();
    let report = match &mut broken.phase {
        Phase::Iterating(iteration) => iteration.report.as_mut(),
        _ => None,
    };
    match report.filter(|report| report.ending == Ending::Empty) {
        Some(report) => {
            report.ending = Ending::Crashed { detail: String::new() };
            decide(&broken, input)
        }
        None => events,
    }
}

pub(super) fn retries(state: &RunState, input: &Input, events: Vec<Event>) -> Vec<Event> {
    let ends = |event: &Event| {
        matches!(event, Event::RunEnding { outcome: Outcome::AgentUnusable { .. } })
    };
    if !events.iter().any(ends) {
        return events;
    }
    let mut patient = state.clone();
    patient.counters.uncharged_in_a_row = 0;
    decide(&patient, input)
}

/// The first task whose calls keep failing is taken for the second one.
pub(super) fn without_parking(state: &RunState, input: &Input, events: Vec<Event>) -> Vec<Event> {
    if !events.iter().any(|event| matches!(event, Event::AgentKeptFailing { .. })) {
        return events;
    }
    let failed = CallRecord { has_worked: false, failed_on: Some("another".into()) };
    let mut hasty = state.clone();
    hasty.blame = Blame { work: failed.clone(), reviews: failed };
    decide(&hasty, input)
}

/// Every task whose calls keep failing is taken for the first one.
pub(super) fn with_parking(state: &RunState, input: &Input, events: Vec<Event>) -> Vec<Event> {
    let ends = |event: &Event| {
        matches!(event, Event::RunEnding { outcome: Outcome::AgentUnusable { .. } })
    };
    if !events.iter().any(ends) {
        return events;
    }
    let mut patient = state.clone();
    patient.blame.work.failed_on = None;
    patient.blame.reviews.failed_on = None;
    decide(&patient, input)
}

/// A protected path is only told to the reviewer.
pub(super) fn unprotected(state: &RunState, input: &Input, events: Vec<Event>) -> Vec<Event> {
    let denies = |reason: &Reason| matches!(reason, Reason::ProtectedPath { .. });
    let is_denied = |event: &Event| matches!(event, Event::VerdictReached(verdict) if verdict.reasons.iter().any(denies));
    if !events.iter().any(is_denied) {
        return events;
    }
    let mut lax = state.clone();
    lax.start.settings.gates.protect_mode = ProtectMode::Review;
    decide(&lax, input)
}

/// A task begins although what it waits for is not done.
pub(super) fn unblocked(state: &RunState, events: Vec<Event>) -> Vec<Event> {
    let ends =
        |event: &Event| matches!(event, Event::RunEnding { outcome: Outcome::NeedsPerson { .. } });
    let Some((task, _)) = state.blocked().into_iter().next().filter(|_| events.iter().any(ends))
    else {
        return events;
    };
    vec![
        Event::TaskMoved {
            task: task.clone(),
            from: Status::Pending,
            to: Status::InProgress,
            why: String::new(),
        },
        Event::IterationStarted(IterationStart {
            iteration: state.counters.iterations + 1,
            retry: 0,
            kind: match state.start.source {
                Source::Prompt { .. } => Kind::Prompt,
                Source::Planning { .. } => Kind::Plan,
                Source::Plan | Source::Tasks { .. } => Kind::Implement,
            },
            task,
            title: String::new(),
            attempt: 1,
            max_attempts: 1,
            agent: String::new(),
            model: String::new(),
        }),
    ]
}

/// What must not be charged is.
pub(super) fn charged(state: &RunState, events: Vec<Event>) -> Vec<Event> {
    let Phase::Iterating(iteration) = &state.phase else {
        return events;
    };
    let Some(task) = state.start.plan.tasks.get(iteration.task) else {
        return events;
    };
    let aside = events.iter().find_map(|event| match event {
        Event::CallSetAside(aside) if aside.counts_as == Uncharged::Failure => Some(aside),
        _ => None,
    });
    let Some(aside) = aside else {
        return events;
    };
    let attempt = state.detail(iteration.task).map_or(0, |detail| detail.rejected) + 1;
    vec![
        Event::AttemptRejected(Rejection {
            task: task.id.clone(),
            attempt,
            max_attempts: state.max_attempts(iteration.task),
            kept: aside.kept.clone(),
            work: None,
            fingerprint: String::new(),
            shared: String::new(),
        }),
        Event::IterationClosed,
    ]
}

/// A process that takes a run over does what only a person may.
pub(super) fn handover(
    bug: Bug,
    state: &RunState,
    input: &Input,
    events: Vec<Event>,
) -> Vec<Event> {
    let What::Resumed(how) = &input.what else { return events };
    match bug {
        Bug::HandoverEndsThePause if how.by == By::Machine && state.steering.pause => {
            events.into_iter().chain([Event::Unpaused]).collect()
        }
        Bug::EndedRunTakenOver if how.by == By::Machine && events.is_empty() => {
            let (by, version) = (how.by, how.version.clone());
            let resumed = Event::RunResumed {
                by,
                version,
                max_iterations: None,
                is_limit_given: false,
                pinned: None,
            };
            vec![resumed]
        }
        _ => events,
    }
}
