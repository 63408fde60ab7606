//! Planted bugs: wrappers that change what the core decides or asks for, to prove that the oracle would notice.

use std::borrow::Cow;

use ralph_core::{
    effect::{Effect, Step},
    event::{Decision, Event, IterationStart, Rejection, Source, StopHow, Uncharged},
    ids::CommitId,
    input::{Done, Input, What},
    outcome::Outcome,
    plan::Status,
    run::{Kind, RunState, Stage, Verdict, decide},
    time::Millis,
};

use super::{git::Git, oracle::Oracle, world::World};

/// One way in which the core could be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bug {
    DoneWithoutEvidence,
    CommitWithoutGates,
    CommitOfAnotherTree,
    GatesOnAnotherTree,
    RedVerdictAccepted,
    OneIterationTooMany,
    MoneyLimitIgnored,
    AttemptLimitIgnored,
    RetriesWithoutEnd,
    UnchargedIsCharged,
    ChargedIsNotCounted,
    AttemptsNeverReset,
    WaitCutShort,
    WokenEarly,
    CommitRepeatedAfterCrash,
    EventLostOnReplay,
    TaskLostOnReplay,
    IllegalMove,
    QuarantineSkipped,
    GivenUpWithoutGoingBack,
    StopIgnored,
    RequestObeyedTwice,
    AgainGetsNewNumber,
    BaselineForgotten,
    ViolationForgiven,
    SpendingForgotten,
    FailureCalledDone,
    SignalForgotten,
    DependencyIgnored,
    ScmCommitsAgain,
}

impl Bug {
    pub const ALL: [Self; 30] = [
        Self::DoneWithoutEvidence,
        Self::CommitWithoutGates,
        Self::CommitOfAnotherTree,
        Self::GatesOnAnotherTree,
        Self::RedVerdictAccepted,
        Self::OneIterationTooMany,
        Self::MoneyLimitIgnored,
        Self::AttemptLimitIgnored,
        Self::RetriesWithoutEnd,
        Self::UnchargedIsCharged,
        Self::ChargedIsNotCounted,
        Self::AttemptsNeverReset,
        Self::WaitCutShort,
        Self::WokenEarly,
        Self::CommitRepeatedAfterCrash,
        Self::EventLostOnReplay,
        Self::TaskLostOnReplay,
        Self::IllegalMove,
        Self::QuarantineSkipped,
        Self::GivenUpWithoutGoingBack,
        Self::StopIgnored,
        Self::RequestObeyedTwice,
        Self::AgainGetsNewNumber,
        Self::BaselineForgotten,
        Self::ViolationForgiven,
        Self::SpendingForgotten,
        Self::FailureCalledDone,
        Self::SignalForgotten,
        Self::DependencyIgnored,
        Self::ScmCommitsAgain,
    ];
}

/// Stands between core and driver; without a bug it changes nothing.
#[derive(Debug)]
pub(super) struct Saboteur {
    bug: Option<Bug>,
    /// Rejected attempts that a bug counts by itself.
    rejected: u32,
}

impl Saboteur {
    pub(super) fn new(bug: Option<Bug>) -> Self {
        Self { bug, rejected: 0 }
    }

    fn is(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }

    /// Whether a planted bug was found, so that the run need not go on.
    pub(super) fn is_seen(&self, oracle: &Oracle<'_>) -> bool {
        self.bug.is_some() && !oracle.broken.is_empty()
    }

    pub(super) fn reconciles(&self) -> bool {
        !self.is(Bug::CommitRepeatedAfterCrash)
    }

    /// Changes what the core asks for, before anyone sees it.
    pub(super) fn step(&self, state: &RunState, step: Step) -> Step {
        let Step::Interrupt(id, _) = step else {
            return step;
        };
        if self.is(Bug::StopIgnored) {
            let mut deaf = state.clone();
            deaf.stop = None;
            let heard = ralph_core::run::next(&deaf);
            return match heard {
                Step::Perform(_, effect) => Step::Perform(id, effect),
                other => other,
            };
        }
        step
    }

    /// Changes what is done, behind everyone's back.
    pub(super) fn effect(&self, effect: &Effect, world: &World<'_>) -> Effect {
        let mut effect = effect.clone();
        match &mut effect {
            Effect::Commit(commit) => {
                if self.is(Bug::CommitOfAnotherTree) {
                    commit.tree = super::tree::Tree::BASE.id();
                }
                if self.is(Bug::CommitRepeatedAfterCrash) {
                    commit.parent = Git::name(world.git.head());
                }
            }
            Effect::RunGates(run) if self.is(Bug::GatesOnAnotherTree) => {
                run.tree = world.scenario.base.id();
            }
            Effect::GiveUp(give_up) if self.is(Bug::GivenUpWithoutGoingBack) => {
                give_up.began_at = give_up.head.clone();
                if let Some(parent) = previous(world, &give_up.head) {
                    give_up.began_at = parent;
                }
            }
            _ => {}
        }
        effect
    }

    /// An effect that is never done though its result is reported.
    pub(super) fn instead_of(&self, effect: &Effect) -> Option<Done> {
        match effect {
            Effect::Quarantine(keep) if self.is(Bug::QuarantineSkipped) => {
                Some(Done::Quarantined { reference: keep.name.clone() })
            }
            _ => None,
        }
    }

    /// What a new process reads.
    pub(super) fn replayed<'a>(&self, found: Cow<'a, [Decision]>) -> Cow<'a, [Decision]> {
        if !self.is(Bug::EventLostOnReplay) && !self.is(Bug::TaskLostOnReplay) {
            return found;
        }
        let mut decisions = found.into_owned();
        if self.is(Bug::EventLostOnReplay)
            && let Some(last) = decisions.iter_mut().rev().find(|d| d.events.len() > 1)
        {
            last.events.pop();
        }
        if self.is(Bug::TaskLostOnReplay)
            && let Some(Event::RunStarted(start)) =
                decisions.first_mut().and_then(|first| first.events.first_mut())
            && start.plan.tasks.len() > 1
        {
            start.plan.tasks.pop();
        }
        Cow::Owned(decisions)
    }

    /// Changes what the core decided.
    pub(super) fn events(
        &mut self,
        state: &RunState,
        input: &Input,
        events: Vec<Event>,
    ) -> Vec<Event> {
        let Some(bug) = self.bug else {
            return events;
        };
        match bug {
            Bug::CommitWithoutGates => without_gates(events, input),
            Bug::OneIterationTooMany => on_limit(state, input, events, "iterations", |state| {
                state.start.max_iterations = state.counters.iterations + 1;
            }),
            Bug::MoneyLimitIgnored => on_limit(state, input, events, "$", |state| {
                state.usage.cost.0 = 0;
            }),
            Bug::RetriesWithoutEnd => retries(state, input, events),
            Bug::DependencyIgnored => unblocked(state, events),
            Bug::WokenEarly if matches!(input.what, What::Woke) && events.is_empty() => {
                match &state.phase {
                    ralph_core::run::Phase::Waiting { .. } => vec![Event::WaitEnded],
                    _ => events,
                }
            }
            Bug::UnchargedIsCharged => charged(state, events),
            _ => events
                .into_iter()
                .filter_map(|event| self.event(bug, state, input, event))
                .collect(),
        }
    }

    /// Changes or drops one event.
    fn event(&mut self, bug: Bug, state: &RunState, input: &Input, event: Event) -> Option<Event> {
        Some(match (bug, event) {
            (Bug::DoneWithoutEvidence, Event::EvidenceRecorded { .. })
            | (Bug::StopIgnored, Event::StopRequested { .. })
            | (Bug::RequestObeyedTwice, Event::RequestTaken { .. }) => return None,
            (Bug::RedVerdictAccepted, Event::VerdictReached(verdict)) => {
                Event::VerdictReached(Verdict { accepted: true, ..verdict })
            }
            (Bug::AttemptLimitIgnored, Event::Proceeded { to: Stage::GiveUp }) => {
                Event::IterationClosed
            }
            (Bug::ChargedIsNotCounted, Event::AttemptRejected(rejection)) => {
                Event::AttemptRejected(Rejection { attempt: rejection.attempt - 1, ..rejection })
            }
            (Bug::AttemptsNeverReset, Event::AttemptRejected(rejection)) => {
                self.rejected += 1;
                Event::AttemptRejected(Rejection { attempt: self.rejected, ..rejection })
            }
            (Bug::WaitCutShort, Event::WaitBegan { why, .. }) => {
                Event::WaitBegan { until: input.at.plus(Millis(900)), why }
            }
            (Bug::IllegalMove, Event::TaskMoved { task, from, to: Status::Failed, why }) => {
                Event::TaskMoved { task, from, to: Status::ChangesRequested, why }
            }
            (Bug::AgainGetsNewNumber, Event::IterationStarted(start)) if start.retry > 0 => {
                Event::IterationStarted(IterationStart { iteration: start.iteration + 1, ..start })
            }
            (Bug::BaselineForgotten, Event::BaselineRecorded { tree, mut results }) => {
                results.gates.clear();
                Event::BaselineRecorded { tree, results }
            }
            (Bug::ViolationForgiven, Event::VerdictReached(verdict))
                if state.stop.is_none() && !verdict.accepted =>
            {
                Event::VerdictReached(Verdict {
                    accepted: verdict
                        .reasons
                        .iter()
                        .all(|reason| matches!(reason, ralph_core::run::Reason::Violated { .. })),
                    ..verdict
                })
            }
            (Bug::SpendingForgotten, Event::AgentEnded(mut report)) => {
                report.usage.cost.0 /= 2;
                Event::AgentEnded(report)
            }
            (Bug::FailureCalledDone, Event::RunEnding { outcome: Outcome::NeedsPerson { .. } }) => {
                Event::RunEnding { outcome: Outcome::Done }
            }
            (Bug::SignalForgotten, Event::StopRequested { how: StopHow::Signal { .. } }) => {
                Event::StopRequested { how: StopHow::Now }
            }
            (Bug::ScmCommitsAgain, Event::Proceeded { to: Stage::Scm }) => {
                Event::Proceeded { to: Stage::Commit }
            }
            (_, event) => event,
        })
    }
}

fn previous(world: &World<'_>, of: &CommitId) -> Option<CommitId> {
    let at = world.git.find(of)?;
    world.git.commits.get(at)?.parent.map(Git::name)
}

/// An accepted verdict takes the place of the gates.
fn without_gates(events: Vec<Event>, input: &Input) -> Vec<Event> {
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
fn on_limit(
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

fn retries(state: &RunState, input: &Input, events: Vec<Event>) -> Vec<Event> {
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

/// A task begins although what it waits for is not done.
fn unblocked(state: &RunState, events: Vec<Event>) -> Vec<Event> {
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
fn charged(state: &RunState, events: Vec<Event>) -> Vec<Event> {
    let ralph_core::run::Phase::Iterating(iteration) = &state.phase else {
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
        }),
        Event::IterationClosed,
    ]
}
