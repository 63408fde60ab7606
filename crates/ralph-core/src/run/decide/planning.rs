//! A planner's end: a draft that can be used, one that cannot, or none. A draft is never repaired by guessing.

use super::{ending, policy};
use crate::{
    ending::{Ending, Reaction},
    event::{Event, Source},
    input::AgentReport,
    outcome::Outcome,
    planning::{self, Unusable},
    run::{Iteration, RunState, limits, planning::MOST_DRAFTS},
    time::Timestamp,
};

/// The planner ended. What it left in its copy is gone; only its draft is looked at.
pub(super) fn ended(
    state: &RunState,
    at: Timestamp,
    iteration: &Iteration,
    report: &AgentReport,
) -> Vec<Event> {
    let Source::Planning { request } = &state.start.source else {
        return Vec::new();
    };
    let iteration = Iteration { report: Some(Box::new(report.clone())), ..iteration.clone() };
    let mut events = vec![Event::AgentEnded(Box::new(report.clone()))];
    events.extend(policy::limited(state, at, &iteration, &report.ending));
    let over = |outcome: Outcome| vec![Event::IterationClosed, Event::RunEnding { outcome }];
    events.extend(match policy::reaction(state, at, &iteration) {
        Reaction::Judge if report.ending == Ending::Ok => {
            match planning::read(request, report.handoff.as_ref(), &report.last_words) {
                Ok(draft) => {
                    let mut events = vec![Event::PlanDrafted(Box::new(draft))];
                    events.extend(over(Outcome::Drafted));
                    events
                }
                Err(unusable) => again(state, unusable),
            }
        }
        Reaction::Judge => {
            let why = format!("the planner {}", report.ending.describe());
            again(state, Unusable::shapeless(why))
        }
        Reaction::StopTask => over(Outcome::Limit { which: "the budget of one call".into() }),
        Reaction::Park => {
            let why = limits::agent_words(state, &iteration, &report.ending);
            over(Outcome::NeedsPerson { why })
        }
        reaction => match limits::task_reached(state, iteration.task) {
            Some(which) if !matches!(reaction, Reaction::Stop | Reaction::StopRun) => {
                over(Outcome::Limit { which })
            }
            _ => ending::unjudged(state, at, &iteration, None),
        },
    });
    events
}

/// How a planning run ends that had its last draft before its process died.
pub(super) fn outcome(state: &RunState) -> Option<Outcome> {
    let planning = &state.planning;
    if planning.draft.is_some() {
        return Some(Outcome::Drafted);
    }
    (planning.unusable >= MOST_DRAFTS)
        .then(|| useless(state, planning.unusable, (&planning.mistakes, planning.is_shapeless)))
}

/// Whose turn it is after the last draft: somebody must look at the agent where there was none, else at the drafts.
fn useless(state: &RunState, drafts: u32, (why, is_shapeless): (&[String], bool)) -> Outcome {
    let first = why.first().map_or("", String::as_str);
    if is_shapeless {
        return Outcome::AgentUnusable {
            why: format!("{drafts} calls gave no usable draft; {first}"),
            help: format!(
                "see .ralph/runs/{}/iterations, then run ralph plan with another agent or model",
                state.run
            ),
        };
    }
    Outcome::NeedsPerson { why: format!("none of {drafts} drafts could be used; {first}") }
}

/// Asked for again, with what is wrong; in the end a person must look, at the agent or at the draft.
fn again(state: &RunState, unusable: Unusable) -> Vec<Event> {
    let nth = state.planning.unusable + 1;
    let Unusable { why, is_shapeless } = unusable;
    let unusable = Event::DraftUnusable { nth, why: why.clone(), is_shapeless };
    let mut events = vec![unusable, Event::IterationClosed];
    if nth >= MOST_DRAFTS {
        events.push(Event::RunEnding { outcome: useless(state, nth, (&why, is_shapeless)) });
    }
    events
}

/// A planning run is not resumed but started again.
pub(super) fn without_resume(mut events: Vec<Event>) -> Vec<Event> {
    for event in &mut events {
        if let Event::RunEnding { outcome } | Event::RunFinished { outcome, .. } = event
            && let Outcome::AgentUnusable { help, .. }
            | Outcome::Workspace { help, .. }
            | Outcome::Preflight { help, .. }
            | Outcome::Refused { help, .. } = outcome
        {
            *help = help.replace("ralph resume", "ralph plan");
        }
    }
    events
}
