//! What the core asks for, judged before it is done.

use ralph_core::{
    effect::{AgentCall, Effect, Step},
    plan::Status,
    run::RunState,
    vocabulary::Kind,
};

use super::{Invariant, Oracle};
use crate::sim::{git::Git, tree::Tree, world::World};

impl Oracle<'_> {
    /// Looks at the step that comes next.
    pub fn before(&mut self, step: &Step, state: &RunState, world: &World<'_>) {
        let effect = match step {
            Step::Perform(_, effect) => effect,
            Step::Interrupt(_, how) => {
                let due = self.how();
                self.must(due == Some(*how), Invariant::StopIsObeyed, || {
                    format!("{how:?} instead of {due:?}")
                });
                return;
            }
            Step::Await { .. } => {
                self.must(!self.stop.asked, Invariant::StopIsObeyed, || {
                    "waits though told to stop".into()
                });
                return;
            }
            Step::Finished => return,
        };
        let is_paused = self.is_paused();
        self.must(!is_paused, Invariant::PausesHold, || format!("{effect:?} is begun"));
        if self.plans() {
            self.check_only_looks(effect, world);
        }
        match effect {
            Effect::RunAgent(call) if call.kind == Kind::Plan => {
                self.must(!self.stop.now, Invariant::StopIsObeyed, || "a planner starts".into());
                self.check_more_drafts();
                self.check_call(call);
                self.check_words(call);
            }
            Effect::Commit(commit) => {
                let due = self.may_commit(&commit.tree, world);
                self.must(due, Invariant::CommitFollowsVerdict, || format!("{commit:?}"));
            }
            Effect::RunAgent(call) => {
                self.must(!self.stop.now, Invariant::StopIsObeyed, || "an agent starts".into());
                if call.kind == Kind::Compact {
                    self.check_compactor(call, world);
                    return;
                }
                let task = self.position(&call.task);
                let (rejected, most) = (self.tasks[task].rejected, self.max_attempts(task));
                self.must(rejected < most, Invariant::LimitsHold, || {
                    format!("attempt {} of {most}", rejected + 1)
                });
                self.check_clean(state, world);
                self.check_call(call);
                self.check_place(call, world);
                self.check_words(call);
            }
            Effect::RunGates(run) => {
                self.must(!self.stop.now, Invariant::StopIsObeyed, || "gates start".into());
                let captured = self.underway.as_ref().and_then(|u| u.captured.as_ref());
                let same = captured.is_some_and(|c| c.tree.as_ref() == Some(&run.tree));
                self.must(same, Invariant::VerdictsAreTrue, || "gates on another tree".into());
            }
            Effect::CaptureTree(_) => self.check_brought_back(),
            Effect::Look(_) => self.check_boundary(state, world),
            _ => {}
        }
    }

    /// Between iterations the run branch stands where the state says, and plan and counts agree.
    fn check_boundary(&mut self, state: &RunState, world: &World<'_>) {
        self.check_plan(state);
        self.check_counts(state);
        self.check_soundness();
        let head = Git::find(&world.git, &state.head);
        let tree = head.map(|at| world.git.tree(at));
        self.must(tree == Tree::read(&state.head_tree), Invariant::CommittedOnce, || {
            "the state's tree is not its commit's".into()
        });
    }

    /// What limits look at is what was truly charged.
    fn check_counts(&mut self, state: &RunState) {
        let counters = &state.counters;
        let same = counters.uncharged_in_a_row == self.failures_in_a_row
            && counters.uncharged == self.uncharged
            && counters.failed_in_a_row == self.failed_in_a_row
            && counters.iterations == self.iterations;
        self.must(same, Invariant::ChargedRightly, || format!("{counters:?}"));
        for at in 0..self.tasks.len() {
            let Some(detail) = state.detail(at) else {
                continue;
            };
            let account = &self.tasks[at];
            let same =
                detail.rejected == account.rejected && detail.overflowed == account.overflowed;
            let counted = detail.reviews == account.reviews
                && detail.change_requests == account.change_requests
                && detail.escalated.shifts == account.shifts
                && detail.escalated.rungs == account.rungs;
            let named = match account.status {
                Status::Parked => detail.branch == account.branch,
                Status::Failed if account.reapply.is_some() => detail.branch == account.reapply,
                Status::Pending => detail.reapply == account.reapply,
                _ => true,
            };
            self.must(same, Invariant::ChargedRightly, || format!("task {at}: {detail:?}"));
            self.must(counted, Invariant::ReviewsAreCounted, || format!("task {at}: {detail:?}"));
            self.must(named, Invariant::ParkedComesBack, || format!("task {at}: {detail:?}"));
        }
    }

    /// A reviewer gets a copy of what is committed; anybody else begins with what was brought back.
    fn check_place(&mut self, call: &AgentCall, world: &World<'_>) {
        if call.kind == Kind::Review {
            let copied = call.copy_of.as_ref().and_then(|commit| world.git.find(commit));
            self.must(copied == Some(world.git.head()), Invariant::ReviewsAreTrue, || {
                format!("the reviewer works in {:?}", call.copy_of)
            });
            return;
        }
        self.must(call.copy_of.is_none(), Invariant::ReviewsAreTrue, || {
            "work in a copy is lost".into()
        });
        self.check_brought_back();
        let task = self.position(&call.task);
        let expected = self.tasks[task].brought_back;
        let fits = expected.is_none_or(|tree| tree == world.git.worktree);
        self.must(fits, Invariant::ParkedComesBack, || format!("{expected:?} is not there"));
    }

    fn check_brought_back(&mut self) {
        let task = self.underway.as_ref().map(|underway| underway.task);
        let left = task.and_then(|task| self.tasks[task].reapply.clone());
        self.must(left.is_none(), Invariant::ParkedComesBack, || {
            format!("the work on {left:?} was not brought back")
        });
    }

    /// Whoever the iteration was begun for.
    fn check_agent(&mut self, call: &AgentCall) {
        let begun = self.underway.as_ref().map(|underway| underway.agent.clone());
        let begun = begun.as_deref().and_then(|agent| agent.split(':').next());
        self.must(begun == Some(&call.agent), Invariant::StuckIsProved, || {
            format!("{} is called instead of {begun:?}", call.agent)
        });
    }

    /// A call is told apart from every other, so that none overwrites another's record.
    fn check_call(&mut self, call: &AgentCall) {
        self.check_agent(call);
        let turns = self.turns;
        self.must(call.max_turns == turns, Invariant::SaidOnResumeHolds, || {
            format!("{} turns, not {turns}", call.max_turns)
        });
        let is_new = self.calls.insert((call.iteration, call.retry));
        self.must(is_new, Invariant::RepeatChangesNothing, || {
            format!("iteration {} begins retry {} twice", call.iteration, call.retry)
        });
    }

    /// An agent begins on exactly what its checkpoint says.
    fn check_clean(&mut self, state: &RunState, world: &World<'_>) {
        let head = Git::find(&world.git, &state.head);
        self.must(head == Some(world.git.head()), Invariant::RepeatChangesNothing, || {
            format!("the run branch is at c{}, not at {}", world.git.head(), state.head)
        });
        self.check_branch(world, false);
    }
}
