//! What becomes of an attempt or call that was not accepted: kept aside, tried again, or given up.

use super::escalation;
use crate::{
    ending::{Ending, Reaction, long_back_off, short_back_off},
    event::{Event, Rejection, SetAside, Uncharged},
    ids::{CommitId, TreeId},
    input::Captured,
    outcome::Outcome,
    plan::Status,
    run::{Iteration, Kind, Reason, RunState, Stage, judge, limits, prove},
    settings::OnReject,
    time::{Millis, Timestamp},
};

/// The ending's policy, with what the task has already used up.
pub(super) fn reaction(state: &RunState, iteration: &Iteration) -> Reaction {
    let Some(report) = &iteration.report else {
        // Nobody was called where a person's approval is applied.
        return if iteration.kind == Kind::Apply { Reaction::Judge } else { Reaction::Retry };
    };
    if state.stopping_now() && report.ending != Ending::Ok {
        return Reaction::Stop;
    }
    match report.ending.reaction() {
        // Nobody asked for it, or the process that was asked is gone: it must stay bounded.
        Reaction::Stop => Reaction::Retry,
        Reaction::Shrink if state.detail(iteration.task).is_some_and(|d| d.overflowed) => {
            Reaction::Judge
        }
        reaction => reaction,
    }
}

/// Keeps what a call left that nobody judged: under a ref if there is anything, else at once aside.
pub(super) fn keep(
    state: &RunState,
    at: Timestamp,
    iteration: &Iteration,
    captured: &Captured,
) -> Vec<Event> {
    if captured.tree.as_ref().is_some_and(|tree| *tree != state.head_tree) {
        vec![Event::Proceeded { to: Stage::Quarantine }]
    } else {
        unjudged(state, at, iteration, None)
    }
}

/// The tree is kept; now say what follows.
pub(super) fn kept(
    state: &RunState,
    at: Timestamp,
    iteration: &Iteration,
    reference: Option<&String>,
) -> Vec<Event> {
    match &iteration.verdict {
        Some(_) => rejected(state, iteration, reference),
        None => unjudged(state, at, iteration, reference),
    }
}

/// A person or a signal ended the call: not charged, and it starts anew when the run is resumed.
pub(super) fn interrupted(
    state: &RunState,
    iteration: &Iteration,
    reference: Option<&String>,
) -> Vec<Event> {
    let finished = iteration.report.as_ref().is_some_and(|report| report.ending == Ending::Ok)
        && iteration.kind != Kind::Review;
    let left = iteration.captured.as_ref().and_then(|captured| captured.tree.clone());
    let start = state.detail(iteration.task).and_then(|detail| detail.work.clone());
    let work = if finished { left } else { start };
    vec![Event::CallSetAside(SetAside {
        ending: Ending::Interrupted,
        counts_as: Uncharged::Interrupt,
        kept: reference.cloned(),
        work,
    })]
}

/// A call that is not charged, and when the same iteration runs again.
pub(super) fn unjudged(
    state: &RunState,
    at: Timestamp,
    iteration: &Iteration,
    reference: Option<&String>,
) -> Vec<Event> {
    let reaction = reaction(state, iteration);
    match reaction {
        Reaction::Stop => return interrupted(state, iteration, reference),
        Reaction::Judge if state.stopping_now() => {
            return interrupted(state, iteration, reference);
        }
        // Its gates were cut short by a stop that is over: the run was taken up again.
        Reaction::Judge => return vec![Event::Proceeded { to: Stage::Gates }],
        Reaction::StopTask => return vec![Event::Proceeded { to: Stage::GiveUp }],
        Reaction::StopRun => {}
        _ if limits::task_reached(state, iteration.task).is_some() => {
            return vec![Event::Proceeded { to: Stage::GiveUp }];
        }
        _ => {}
    }
    let Some(report) = &iteration.report else {
        return Vec::new();
    };
    let restart = state.detail(iteration.task).and_then(|detail| detail.work.clone());
    let partial = iteration.captured.as_ref().and_then(|captured| captured.tree.clone());
    let (counts_as, work) = match reaction {
        Reaction::BackOff | Reaction::WaitUntil(_) => (Uncharged::Limit, partial),
        Reaction::Shrink => (Uncharged::Overflow, partial),
        _ => (Uncharged::Failure, restart),
    };
    let mut events = vec![Event::CallSetAside(SetAside {
        ending: report.ending.clone(),
        counts_as,
        kept: reference.cloned(),
        work,
    })];
    events.extend(follow_up(state, at, iteration, reaction));
    events
}

/// Waits, or the end of the run or the task, after an uncharged call.
fn follow_up(
    state: &RunState,
    at: Timestamp,
    iteration: &Iteration,
    reaction: Reaction,
) -> Option<Event> {
    let ending = &iteration.report.as_ref()?.ending;
    let failures = state.counters.uncharged_in_a_row + 1;
    let backs = state.counters.back_offs_in_a_row + 1;
    let limits = &state.start.settings.limits;
    let unusable = |help: &str| {
        Some(Event::RunEnding {
            outcome: Outcome::AgentUnusable {
                why: limits::agent_words(state, iteration, ending),
                help: help.into(),
            },
        })
    };
    if reaction == Reaction::StopRun {
        return unusable("mend this, then ralph resume");
    }
    if state.counters.uncharged + 1 > limits.max_uncharged {
        return unusable("too many calls of this run ended without work; see the iterations' logs");
    }
    let later = "go on later with ralph resume, or raise limits.max_wait";
    let until = match reaction {
        Reaction::Retry if failures > limits.max_retries => {
            return unusable("see the iteration's stderr and agent.ndjson, then ralph resume");
        }
        Reaction::Retry => at.plus(short_back_off(failures)),
        Reaction::WaitUntil(reset) if reset > at => {
            if reset.since(at) > limits.max_wait.0 {
                return unusable(later);
            }
            reset.plus(jitter(state.seq))
        }
        Reaction::BackOff | Reaction::WaitUntil(_) => {
            if long_wait(backs) > limits.max_wait.0 {
                return unusable(later);
            }
            at.plus(long_back_off(backs))
        }
        _ => return None,
    };
    // A run that is to stop does not wait first.
    state.stop.is_none().then(|| Event::WaitBegan { until, why: ending.describe() })
}

/// How long pauses without a known end have lasted in a row, this one included.
fn long_wait(nth: u32) -> Millis {
    (1..=nth).fold(Millis(0), |sum, n| sum.plus(long_back_off(n)))
}

/// 1 to 15 seconds, so that many loops do not wake at the same moment.
fn jitter(seq: u64) -> Millis {
    Millis(1_000 + seq.wrapping_mul(7_919) % 14_000)
}

fn rejected(state: &RunState, iteration: &Iteration, reference: Option<&String>) -> Vec<Event> {
    let Some(verdict) = &iteration.verdict else {
        return Vec::new();
    };
    let detail = state.detail(iteration.task);
    let attempt = detail.map_or(0, |detail| detail.rejected) + 1;
    let max_attempts = state.max_attempts(iteration.task);
    let violated = iteration.captured.is_none() || verdict.reasons.iter().any(Reason::restarts);
    let repair = state.start.settings.attempts.on_reject == OnReject::Repair && !violated;
    let shared = judge::shared_print(iteration.results.as_ref(), verdict);
    let mut events = vec![Event::AttemptRejected(Rejection {
        task: state.task_id(iteration.task),
        attempt,
        max_attempts,
        kept: reference.cloned(),
        work: verdict.tree.clone().filter(|tree| repair && *tree != state.head_tree),
        fingerprint: verdict.fingerprint.clone(),
        shared: shared.clone(),
    })];
    if attempt >= max_attempts || limits::task_reached(state, iteration.task).is_some() {
        events.push(Event::Proceeded { to: Stage::GiveUp });
        return events;
    }
    match escalation::after_attempt(state, iteration, attempt) {
        escalation::Answer::Stop(said) => {
            events.extend(said);
            events.push(Event::Proceeded { to: Stage::GiveUp });
        }
        escalation::Answer::GoOn(said) => {
            events.extend(said);
            events.push(Event::IterationClosed);
            events.extend(systemic(state, iteration, &shared));
        }
    }
    events
}

/// A new task that fails at once exactly as the last one did: the cause is probably not the task.
fn systemic(state: &RunState, iteration: &Iteration, shared: &str) -> Option<Event> {
    let is_first = state.detail(iteration.task).is_none_or(|detail| detail.attempts == 0);
    let same = state.last_failure.as_deref() == Some(shared);
    (is_first && same && !shared.is_empty()).then(|| {
        let task = state.task_id(iteration.task);
        let why = format!(
            "{task} fails at once exactly as the task before it did; the cause is probably not the task"
        );
        Event::RunEnding { outcome: Outcome::NeedsPerson { why } }
    })
}

/// The task is given up or parked; its work is on a branch.
pub(super) fn gave_up(
    state: &RunState,
    iteration: &Iteration,
    branch: &str,
    (head, tree): (&CommitId, &TreeId),
) -> Vec<Event> {
    let task = state.task_id(iteration.task);
    let (to, why) = match iteration.stage {
        Stage::Park => (Status::Parked, why_parked(state, iteration)),
        _ => (Status::Failed, why_failed(state, iteration)),
    };
    vec![
        Event::WorkKept { task, branch: branch.to_owned(), head: head.clone(), tree: tree.clone() },
        prove::moved(state, iteration.task, to, why),
        Event::IterationClosed,
    ]
}

fn why_failed(state: &RunState, iteration: &Iteration) -> String {
    let detail = state.detail(iteration.task);
    let attempts = detail.map_or(0, |detail| detail.rejected);
    let stuck = detail.and_then(|detail| detail.stuck.as_ref());
    match (&iteration.report, limits::task_reached(state, iteration.task), stuck) {
        (_, Some(limit), _) => limit,
        (Some(report), None, _) if report.ending == Ending::Budget => {
            "its budget is used up".into()
        }
        (_, None, Some(stuck)) => format!("stuck: {}", stuck.describe()),
        (_, None, None) => format!("{attempts} attempts were rejected"),
    }
}

fn why_parked(state: &RunState, iteration: &Iteration) -> String {
    let Some(detail) = state.detail(iteration.task) else {
        return String::new();
    };
    if let Some(question) = &detail.question {
        return format!("it asks: {question}");
    }
    if detail.unusable_reviews > 0 {
        return format!("{} reviews gave no verdict that could be used", detail.unusable_reviews);
    }
    format!("the reviewer still wants changes after {} reviews", detail.reviews)
}
