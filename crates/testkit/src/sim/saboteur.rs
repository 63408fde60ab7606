//! Wrappers that change what the core decides or asks for. Without a bug to plant they change nothing.

use std::{borrow::Cow, sync::Arc};

use ralph_core::{
    effect::{Effect, Step},
    event::{Decision, Event, IterationStart, Rejection, SetAside, StopHow, Uncharged},
    input::{By, Done, Input, What},
    outcome::Outcome,
    plan::Status,
    run::{Phase, RunState, next},
    time::Millis,
    verdict::{Reason, Verdict},
    vocabulary::{Kind, Stage, Steer},
};

use super::{Bug, forgery, forgetful, fraud, git::Git, oracle::Oracle, world::World};

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
        if let Step::Perform(id, Effect::RunAgent(mut call)) = step {
            let misplaced = match call.kind {
                Kind::Compact => Bug::CompactorInTheWorktree,
                Kind::Plan => Bug::PlannerInTheWorktree,
                _ => Bug::ReviewInTheWorktree,
            };
            call.copy_of = call.copy_of.filter(|_| !self.is(misplaced));
            return Step::Perform(id, Effect::RunAgent(call));
        }
        let Step::Interrupt(id, _) = step else {
            return step;
        };
        if self.is(Bug::StopIgnored) {
            let mut deaf = state.clone();
            deaf.stop = None;
            let heard = next(&deaf);
            return match heard {
                Step::Perform(_, effect) => Step::Perform(id, effect),
                other => other,
            };
        }
        step
    }

    /// Changes what is done, behind everyone's back.
    pub(super) fn effect<'a>(&self, effect: &'a Effect, world: &World<'_>) -> Cow<'a, Effect> {
        if self.bug.is_none() {
            return Cow::Borrowed(effect);
        }
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
                if let Some(parent) = forgery::previous(world, &give_up.head) {
                    give_up.began_at = parent;
                }
            }
            _ => {}
        }
        Cow::Owned(effect)
    }

    /// An effect that is never done though its result is reported.
    pub(super) fn instead_of(&self, effect: &Effect) -> Option<Done> {
        match effect {
            Effect::Quarantine(keep) if self.is(Bug::QuarantineSkipped) => {
                Some(Done::Quarantined { reference: keep.name.clone(), files: Vec::new() })
            }
            Effect::GiveUp(give_up)
                if self.is(Bug::ParkedWithoutKeeping) && give_up.branch.contains("parked") =>
            {
                Some(Done::GaveUp {
                    branch: give_up.branch.clone(),
                    head: give_up.began_at.clone(),
                    tree: give_up.tree.clone().unwrap_or_default(),
                    pushed: None,
                })
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
            Arc::make_mut(&mut start.plan).tasks.pop();
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
            Bug::CommitWithoutGates => forgery::without_gates(events, input),
            Bug::OneIterationTooMany => {
                forgery::on_limit(state, input, events, "iterations", |state| {
                    state.start.max_iterations = state.counters.iterations + 1;
                })
            }
            Bug::MoneyLimitIgnored => forgery::on_limit(state, input, events, "$", |state| {
                state.usage.cost.0 = 0;
            }),
            Bug::IdleTimeCounted => forgery::without_idle(state, input),
            Bug::SilentWorkSetAside => forgery::without_silence(state, input, events),
            Bug::RetriesWithoutEnd => forgery::retries(state, input, events),
            Bug::OneCrashEndsTheRun => forgery::without_parking(state, input, events),
            Bug::CrashesNeverEndTheRun => forgery::with_parking(state, input, events),
            Bug::DependencyIgnored => forgery::unblocked(state, events),
            Bug::WokenEarly if matches!(input.what, What::Woke) && events.is_empty() => {
                match &state.phase {
                    Phase::Waiting { .. } => vec![Event::WaitEnded],
                    _ => events,
                }
            }
            Bug::PauseCutShort if matches!(input.what, What::Woke) && events.is_empty() => {
                match &state.phase {
                    Phase::Paused { .. } => vec![Event::Unpaused],
                    _ => events,
                }
            }
            Bug::HandoverEndsThePause | Bug::EndedRunTakenOver => {
                forgery::handover(bug, state, input, events)
            }
            Bug::MemoryOverBudget | Bug::ConstraintForgotten | Bug::CompactionWaits => {
                forgetful::decide(bug, input.at, events)
            }
            Bug::ProtectedPathForgiven => forgery::unprotected(state, input, events),
            Bug::UnchargedIsCharged => forgery::charged(state, events),
            _ => {
                let events = events
                    .into_iter()
                    .filter_map(|event| self.event(bug, state, input, event))
                    .collect();
                fraud::decide(bug, state, input, events)
            }
        }
    }

    /// Changes or drops one event.
    fn event(&mut self, bug: Bug, state: &RunState, input: &Input, event: Event) -> Option<Event> {
        Some(match (bug, event) {
            (
                Bug::FlagForgotten,
                Event::RunResumed { by, version, max_iterations, is_limit_given, .. },
            ) => Event::RunResumed { by, version, max_iterations, is_limit_given, pinned: None },
            (
                Bug::HandoverTakenForAPerson,
                Event::RunResumed { version, max_iterations, is_limit_given, pinned, .. },
            ) => {
                let by = By::Person;
                Event::RunResumed { by, version, max_iterations, is_limit_given, pinned }
            }
            (Bug::DoneWithoutEvidence, Event::EvidenceRecorded { .. })
            | (Bug::StopIgnored, Event::StopRequested { .. })
            | (Bug::RequestObeyedTwice, Event::RequestTaken { .. })
            | (Bug::WordForgotten, Event::Steered { .. })
            | (Bug::PauseIgnored, Event::PauseRequested { .. })
            | (Bug::DraftForgotten, Event::PlanDrafted(_))
            | (Bug::RestForgotten, Event::AgentRested { .. }) => return None,
            (Bug::WordToldToAll, Event::Steered { word, ends_call }) => {
                Event::Steered { word: Steer { task: None, ..word }, ends_call }
            }
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
                        .all(|reason| matches!(reason, Reason::Violated { .. })),
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
            (bug, event) => call_event(bug, input, event),
        })
    }
}

/// The same for what becomes of calls and those who make them.
fn call_event(bug: Bug, input: &Input, event: Event) -> Event {
    match (bug, event) {
        (Bug::CutWorkForgotten, Event::CallSetAside(aside))
            if aside.counts_as == Uncharged::Interrupt =>
        {
            Event::CallSetAside(SetAside { work: None, ..aside })
        }
        (Bug::WaitCutShort, Event::WaitBegan { why, .. }) => {
            Event::WaitBegan { until: input.at.plus(Millis(900)), why }
        }
        (Bug::RestCutShort, Event::AgentRested { agent, why, is_waited_for, .. }) => {
            let until = Some(input.at.plus(Millis(900)));
            Event::AgentRested { agent, until, why, is_waited_for }
        }
        (Bug::FallbackForgotten, Event::AgentRested { agent, until, why, .. }) => {
            Event::AgentRested { agent, until, why, is_waited_for: true }
        }
        (Bug::LimitIsAFailure, Event::CallSetAside(aside))
            if aside.counts_as == Uncharged::Limit =>
        {
            Event::CallSetAside(SetAside { counts_as: Uncharged::Failure, ..aside })
        }
        (Bug::CutIsCounted, Event::CallSetAside(aside)) if aside.counts_as == Uncharged::Cut => {
            Event::CallSetAside(SetAside { counts_as: Uncharged::Failure, ..aside })
        }
        (Bug::DraftMadeUp, Event::DraftUnusable { .. }) => Event::PlanDrafted(Box::default()),
        (Bug::DraftsNeverCounted, Event::DraftUnusable { why, is_shapeless, .. }) => {
            Event::DraftUnusable { nth: 1, why, is_shapeless }
        }
        (_, event) => event,
    }
}
