//! Whether a run's end is told truthfully, and what must hold once it is over.

use ralph_core::{
    input::FailureClass,
    outcome::Outcome,
    plan::Status,
    run::{Phase, RunState},
    settings::BaselineMode,
    time::Timestamp,
    vocabulary::Stage,
};

use super::{Invariant, Oracle};
use crate::sim::{git::Author, world::World};

impl Oracle<'_> {
    fn is_complete(&self) -> bool {
        (0..self.tasks.len())
            .filter(|&task| self.is_selected(task))
            .all(|task| matches!(self.tasks[task].status, Status::Done | Status::Skipped))
    }

    /// Whether a person must decide on something that is not settled yet.
    fn proposals_wait(&self) -> bool {
        self.proposals.values().any(|amendment| {
            let about = amendment.task().and_then(|id| self.plan.position(id));
            about.is_none_or(|at| !matches!(self.tasks[at].status, Status::Done | Status::Skipped))
        })
    }

    pub(super) fn ending(&mut self, outcome: &Outcome, at: Timestamp) {
        if let Some(underway) = self.underway.take() {
            // Work that was already judged goes on where it was; anything else runs again.
            if underway.verdict.is_none() && !underway.is_accepted {
                self.again = Some(underway.number);
            }
            let is_to_come = matches!(
                underway.stage,
                Stage::Reapply | Stage::Checkpoint | Stage::Agent | Stage::Capture
            );
            self.underway = (!is_to_come).then_some(underway);
        }
        self.wait_until = None;
        let could_work = self.could_work();
        let as_planned = if self.plans() { self.planning_ends(outcome) } else { None };
        let is_true = match outcome {
            _ if as_planned.is_some() => as_planned == Some(true),
            Outcome::Done => self.is_complete() && !self.proposals_wait(),
            // Runs that work on something never draft.
            Outcome::Drafted => false,
            Outcome::Limit { .. } => {
                let of_task = (0..self.tasks.len()).any(|task| self.task_limit_reached(task));
                !self.is_complete() && could_work && (self.limit_reached(at).is_some() || of_task)
            }
            Outcome::Stopped => {
                self.stop.asked && self.stop.signal.is_none() && !self.is_complete()
            }
            Outcome::Interrupted { signal } => {
                self.stop.signal == Some(*signal) && !self.is_complete()
            }
            Outcome::NeedsPerson { why } => {
                let is_so = if self.is_complete() {
                    self.proposals_wait()
                } else {
                    !could_work || self.too_many_failed() || self.is_systemic
                };
                is_so && !why.is_empty()
            }
            Outcome::AgentUnusable { .. } => {
                self.failure == Some(FailureClass::Agent) || self.is_agent_unusable()
            }
            Outcome::Workspace { .. } => self.failure == Some(FailureClass::Workspace),
            Outcome::Preflight { .. } => {
                self.failure == Some(FailureClass::Preflight)
                    || self.scenario.start.settings.gates.baseline == BaselineMode::Require
            }
            Outcome::Refused { .. } => self.failure == Some(FailureClass::Policy),
            Outcome::Bug { .. } => self.failure == Some(FailureClass::Bug),
        };
        self.must(is_true, Invariant::OutcomeIsTruthful, || format!("{outcome:?}"));
    }

    /// Auth, a missing program, too many failures, or a limit nobody may wait for.
    fn is_agent_unusable(&self) -> bool {
        let limits = self.limits();
        self.failures_in_a_row > limits.max_retries
            || self.uncharged > limits.max_uncharged
            || self.may_end_unusable()
    }

    pub(super) fn finished(&mut self, outcome: &Outcome, _at: Timestamp) {
        let done = *outcome == Outcome::Done;
        self.must(!done || self.is_complete(), Invariant::OutcomeIsTruthful, || {
            "done with work left".into()
        });
        let signalled = self.stop.signal.is_some() && !self.is_complete();
        let interrupted = matches!(outcome, Outcome::Interrupted { .. });
        let stop = self.stop;
        self.must(signalled == interrupted, Invariant::OutcomeIsTruthful, || {
            format!("{outcome:?} with {stop:?}")
        });
        let complete = self.is_complete()
            && !self.proposals_wait()
            && self.failure.is_none()
            && self.last_ending_is_fine();
        self.must(!complete || done, Invariant::OutcomeIsTruthful, || {
            format!("{outcome:?} though all is done")
        });
    }

    fn last_ending_is_fine(&self) -> bool {
        !self.is_agent_unusable()
            && self.scenario.start.settings.gates.baseline != BaselineMode::Require
    }

    /// A stored state is the same once it is read again.
    pub fn snapshot(&mut self, state: &RunState) {
        let read = serde_json::to_string(state)
            .ok()
            .and_then(|text| serde_json::from_str::<RunState>(&text).ok())
            .map(|mut read| {
                read.reindex();
                read
            });
        self.must(read.as_ref() == Some(state), Invariant::ReplayIsIdentical, || {
            "a snapshot differs".into()
        });
    }

    /// The run is over: accounts agree, nothing was overwritten, nothing committed twice.
    pub fn at_the_end(&mut self, state: &RunState, world: &World<'_>) {
        let over = state.outcome().is_some();
        self.must(over, Invariant::EveryRunEnds, || "it has no outcome".into());
        self.check_plan(state);
        self.check_branch(world, is_in_doubt(state));
        self.check_branches(state, world);
        self.check_none_lost(world);
        if self.plans() {
            self.check_untouched(world);
        }
        let (cost, tokens) = (self.cost, self.tokens);
        self.must(
            state.usage.cost.0 == cost && state.usage.tokens() == tokens,
            Invariant::SpendingIsCounted,
            || format!("{:?} instead of {cost} and {tokens}", state.usage),
        );
    }

    /// Each task is there, where its moves brought it.
    pub(super) fn check_plan(&mut self, state: &RunState) {
        let same = state.start.plan.tasks == self.plan.tasks
            && state.tasks.iter().map(|task| task.status).eq(self.tasks.iter().map(|t| t.status));
        if !same {
            let statuses: Vec<_> = state.tasks.iter().map(|task| task.status).collect();
            let plan = &self.plan.tasks;
            let detail =
                format!("{statuses:?} of {:?} instead of {plan:?}", state.start.plan.tasks);
            self.broke(Invariant::NoTaskIsLost, || detail);
        }
    }

    /// Each branch that keeps work was made once.
    fn check_branches(&mut self, state: &RunState, world: &World<'_>) {
        let doubtful = matches!(
            state.suspended.as_deref(),
            Some(Phase::Iterating(iteration)) if matches!(iteration.stage, Stage::GiveUp | Stage::Park)
        );
        let is_kept = |name: &&String| {
            name.starts_with("wip/ralph-fail-") || name.starts_with("ralph/parked/")
        };
        let there = world.git.refs.keys().filter(is_kept).count();
        let made: usize = self.tasks.iter().map(|task| task.kept).sum();
        let most = made + self.scenario.branches.len() + usize::from(doubtful);
        self.must(there <= most, Invariant::RepeatChangesNothing, || {
            format!("{there} branches keep work that was kept {made} times")
        });
    }

    /// Each of ralph's commits is known to the journal, once; the newest may be in doubt.
    pub(super) fn check_branch(&mut self, world: &World<'_>, in_doubt: bool) {
        let mut seen = Vec::new();
        for at in world.git.history().skip(usize::from(in_doubt)) {
            if let Some(Author::Ralph { iteration, .. }) =
                world.git.commits.get(at).map(|object| &object.author)
            {
                let known = self.commits.contains(&(*iteration, at));
                let is_new = !seen.contains(iteration);
                seen.push(*iteration);
                self.must(known && is_new, Invariant::CommittedOnce, || {
                    format!("c{at} of iteration {iteration}: known {known}, first {is_new}")
                });
            }
        }
    }
}

/// The run ended because a commit failed, and nobody took it up again to see whether it was made.
fn is_in_doubt(state: &RunState) -> bool {
    matches!(
        state.suspended.as_deref(),
        Some(Phase::Iterating(iteration)) if iteration.stage == Stage::Commit
    )
}
