//! What becomes of an attempt or call that was not accepted: kept aside, tried again, or given up.

use super::{blame, escalation, policy};
use crate::{
    ending::{Ending, Reaction, short_back_off},
    event::{Event, Rejection, SetAside, Uncharged},
    ids::{CommitId, TreeId},
    input::{Captured, ScmReport},
    outcome::Outcome,
    plan::Status,
    run::{Iteration, RunState, judge, limits, prove},
    settings::{OnReject, Policy},
    time::Timestamp,
    verdict::Reason,
    vocabulary::{Kind, Stage},
};

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
    (reference, files): (&String, &[String]),
) -> Vec<Event> {
    match &iteration.verdict {
        Some(_) => rejected(state, iteration, (reference, files)),
        None => unjudged(state, at, iteration, Some(reference)),
    }
}

/// A person or a signal ended the call: not charged, and it starts anew.
pub(super) fn interrupted(
    state: &RunState,
    iteration: &Iteration,
    reference: Option<&String>,
) -> Vec<Event> {
    let finished = iteration.report.as_ref().is_some_and(|report| report.ending == Ending::Ok)
        && !matches!(iteration.kind, Kind::Review | Kind::Plan);
    let left = iteration.tree().cloned();
    let start = state.detail(iteration.task).and_then(|detail| detail.work.clone());
    // One that restarts with a person's message continues from what it had done; a reviewer has done nothing.
    let continues = state.steering.ends_call && iteration.kind != Kind::Review;
    let work = if finished || (continues && left.is_some()) { left } else { start };
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
    let reaction = policy::reaction(state, at, iteration);
    match reaction {
        Reaction::Stop => return interrupted(state, iteration, reference),
        Reaction::Judge if state.stopping_now() => {
            return interrupted(state, iteration, reference);
        }
        // Its gates were cut short by a stop that is over: the run was resumed.
        Reaction::Judge => return vec![Event::Proceeded { to: Stage::Gates }],
        Reaction::StopTask => return vec![Event::Proceeded { to: Stage::GiveUp }],
        Reaction::Park => return vec![Event::Proceeded { to: Stage::Park }],
        Reaction::StopRun | Reaction::Suspend => {}
        _ if limits::task_reached(state, iteration.task).is_some() => {
            return vec![Event::Proceeded { to: Stage::GiveUp }];
        }
        Reaction::Retry
            if retries_used_up(state)
                && !calls_used_up(state)
                && blame::is_the_tasks(state, iteration) =>
        {
            return blame::put_aside(state, iteration);
        }
        _ => {}
    }
    let Some(report) = &iteration.report else { return Vec::new() };
    let restart = state.detail(iteration.task).and_then(|detail| detail.work.clone());
    let partial = iteration.tree().cloned();
    let (counts_as, work) = match reaction {
        Reaction::BackOff | Reaction::WaitUntil(_) | Reaction::Switch => {
            (Uncharged::Limit, partial)
        }
        Reaction::Suspend => (Uncharged::Cut, partial),
        Reaction::Shrink => (Uncharged::Overflow, partial),
        _ => (Uncharged::Failure, restart),
    };
    let aside =
        SetAside { ending: report.ending.clone(), counts_as, kept: reference.cloned(), work };
    let is_last = aside.is_counted() && calls_used_up(state);
    let mut events = vec![Event::CallSetAside(aside)];
    events.extend(policy::rests(state, at, iteration, reaction));
    events.extend(follow_up(state, at, (iteration, is_last), reaction));
    events
}

/// Waits, or the end of the run, after an uncharged call; `is_last` if the run may have no more of them.
fn follow_up(
    state: &RunState,
    at: Timestamp,
    (iteration, is_last): (&Iteration, bool),
    reaction: Reaction,
) -> Option<Event> {
    let ending = &iteration.report.as_ref()?.ending;
    let failures = state.counters.uncharged_in_a_row + 1;
    let unusable = |help: &str| {
        Some(Event::RunEnding {
            outcome: Outcome::AgentUnusable {
                why: limits::agent_words(state, iteration, ending),
                help: help.into(),
            },
        })
    };
    if reaction == Reaction::StopRun {
        return unusable("fix this, then run ralph resume");
    }
    // A limit of the run cut it, which says nothing about the agent; the boundary names the limit.
    if reaction == Reaction::Suspend {
        return None;
    }
    if is_last {
        return unusable(&format!(
            "too many calls of this run produced no work; see .ralph/runs/{}/iterations",
            state.run
        ));
    }
    match reaction {
        Reaction::Retry if retries_used_up(state) => {
            unusable(&blame::help_with_agent(state, iteration))
        }
        // A run that is to stop does not wait first.
        Reaction::Retry if state.stop.is_none() => Some(Event::WaitBegan {
            until: at.plus(short_back_off(failures)),
            why: ending.describe(),
        }),
        Reaction::BackOff | Reaction::WaitUntil(_) | Reaction::Switch
            if policy::waited_too_long(state, at, ending) =>
        {
            unusable(policy::LATER)
        }
        _ => None,
    }
}

/// Whether the call that just failed was the last one that may be retried.
fn retries_used_up(state: &RunState) -> bool {
    state.counters.uncharged_in_a_row + 1 > state.start.settings.limits.max_retries
}

/// Whether the call that just failed was one more than the whole run may have.
fn calls_used_up(state: &RunState) -> bool {
    state.counters.uncharged + 1 > state.start.settings.limits.max_uncharged
}

fn rejected(
    state: &RunState,
    iteration: &Iteration,
    (reference, files): (&String, &[String]),
) -> Vec<Event> {
    let Some(verdict) = &iteration.verdict else { return Vec::new() };
    let attempt = state.next_attempt(iteration.task);
    let max_attempts = state.max_attempts(iteration.task);
    let violated = iteration.captured.is_none() || verdict.reasons.iter().any(Reason::restarts);
    let repair = state.start.settings.attempts.on_reject == OnReject::Repair && !violated;
    let shared = judge::shared_print(iteration.results.as_ref(), verdict);
    let mut events = vec![Event::AttemptRejected(Rejection {
        task: state.task_id(iteration.task),
        attempt,
        max_attempts,
        kept: Some(reference.clone()),
        work: verdict.tree.clone().filter(|tree| repair && *tree != state.head_tree),
        fingerprint: verdict.fingerprint.clone(),
        shared: shared.clone(),
    })];
    let is_last = attempt >= max_attempts || limits::task_reached(state, iteration.task).is_some();
    let escalation = escalation::after_attempt(state, iteration, attempt, files);
    let gives_up = is_last || escalation.gives_up;
    let was_stuck = state.detail(iteration.task).is_some_and(|detail| detail.stuck.is_some());
    events.extend(if is_last {
        escalation.given_up().filter(|_| was_stuck)
    } else {
        escalation.said
    });
    if gives_up {
        events.push(Event::Proceeded { to: Stage::GiveUp });
    } else {
        events.push(Event::IterationClosed);
        events.extend(systemic(state, iteration, &shared));
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
            "{task} failed at once in exactly the same way as the task before it; the task is probably not the cause"
        );
        Event::RunEnding { outcome: Outcome::NeedsPerson { why } }
    })
}

/// The task is given up or parked; its work is on a branch.
pub(super) fn gave_up(
    state: &RunState,
    iteration: &Iteration,
    (branch, pushed): (&str, Option<&ScmReport>),
    (head, tree): (&CommitId, &TreeId),
) -> Vec<Event> {
    let task = state.task_id(iteration.task);
    let (to, why) = match iteration.stage {
        Stage::Park => (Status::Parked, why_parked(state, iteration)),
        _ => (Status::Failed, why_failed(state, iteration)),
    };
    let kept =
        Event::WorkKept { task, branch: branch.to_owned(), head: head.clone(), tree: tree.clone() };
    let pushed = pushed.map(|report| Event::ScmTasksRan { reports: vec![report.clone()] });
    let moved = prove::moved(state, iteration.task, to, why);
    [kept].into_iter().chain(pushed).chain([moved, Event::IterationClosed]).collect()
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
        (_, None, None) if attempts == 1 => "1 attempt was rejected".into(),
        (_, None, None) => format!("{attempts} attempts were rejected"),
    }
}

fn reviews(count: u32) -> String {
    if count == 1 { "1 review".into() } else { format!("{count} reviews") }
}

fn why_parked(state: &RunState, iteration: &Iteration) -> String {
    let Some(detail) = state.detail(iteration.task) else { return String::new() };
    if let Some(why) = &detail.agent_failed {
        return why.clone();
    }
    if let Some(report) = &iteration.report
        && state.start.settings.endings.policy(&report.ending) == Some(Policy::Park)
    {
        return format!("the agent {}", report.ending.describe());
    }
    if let Some(question) = &detail.question {
        return format!("it asks: {question}");
    }
    if detail.unusable_reviews > 0 {
        let reviews = reviews(detail.unusable_reviews);
        return format!("{reviews} gave no usable verdict");
    }
    format!("the reviewer still wants changes after {}", reviews(detail.reviews))
}
