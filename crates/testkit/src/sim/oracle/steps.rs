//! What the core asks for, judged before it is done.

use ralph_core::{
    effect::{AgentCall, Effect, Step},
    run::RunState,
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
        match effect {
            Effect::Commit(commit) => {
                let due = self.may_commit(&commit.tree);
                self.must(due, Invariant::CommitFollowsVerdict, || format!("{commit:?}"));
            }
            Effect::RunAgent(call) => {
                self.must(!self.stop.now, Invariant::StopIsObeyed, || "an agent starts".into());
                let task = self.position(&call.task);
                let (rejected, most) = (self.tasks[task].rejected, self.max_attempts(task));
                self.must(rejected < most, Invariant::LimitsHold, || {
                    format!("attempt {} of {most}", rejected + 1)
                });
                self.check_clean(state, world);
                self.check_call(call);
            }
            Effect::RunGates(run) => {
                self.must(!self.stop.now, Invariant::StopIsObeyed, || "gates start".into());
                let captured = self.underway.as_ref().and_then(|u| u.captured.as_ref());
                let same = captured.is_some_and(|c| c.tree.as_ref() == Some(&run.tree));
                self.must(same, Invariant::VerdictsAreTrue, || "gates on another tree".into());
            }
            Effect::Look(_) => self.check_boundary(state, world),
            _ => {}
        }
    }

    /// Between iterations the run branch stands where the state says, and plan and counts agree.
    fn check_boundary(&mut self, state: &RunState, world: &World<'_>) {
        self.check_plan(state);
        self.check_counts(state);
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
            self.must(same, Invariant::ChargedRightly, || format!("task {at}: {detail:?}"));
        }
    }

    /// A call is told apart from every other, so that none overwrites another's record.
    fn check_call(&mut self, call: &AgentCall) {
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
