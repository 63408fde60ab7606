//! Verdicts, commits, evidence, charges, and where unaccepted work is kept.

use ralph_core::{
    ending::Ending,
    event::{Rejection, SetAside, Uncharged},
    evidence::Judged,
    ids::{CommitId, TaskId, TreeId},
    run::Verdict,
    settings::OnReject,
};

use super::{
    Invariant, Oracle,
    truth::{accepts, criteria, has_hard_gate, is_prompt},
};
use crate::sim::{
    git::Author,
    tree::{Tree, check_passes},
    world::World,
};

impl Oracle<'_> {
    pub(super) fn verdict(&mut self, verdict: &Verdict) {
        let Some(underway) = self.underway.clone() else {
            self.broke(Invariant::VerdictsAreTrue, || "a verdict on nothing".into());
            return;
        };
        let (Some(report), Some(captured)) = (&underway.report, &underway.captured) else {
            self.broke(Invariant::VerdictsAreTrue, || "a verdict on no attempt".into());
            return;
        };
        let truth = accepts(self.scenario, &self.tolerated, underway.task, report, captured);
        self.must(
            verdict.accepted == truth && verdict.tree == captured.tree,
            Invariant::VerdictsAreTrue,
            || format!("{verdict:?}, but accepted should be {truth} for {captured:?}"),
        );
        if verdict.accepted {
            let checked =
                criteria(self.scenario, underway.task).iter().any(|c| c.check().is_some());
            let trusted = self.scenario.start.settings.claims.trust_agent;
            self.must(
                checked || trusted || has_hard_gate(self.scenario),
                Invariant::NothingToVerifyWith,
                || format!("{verdict:?}"),
            );
        }
        if let Some(underway) = &mut self.underway {
            underway.verdict = Some(verdict.accepted);
        }
    }

    /// Whether a commit of this tree is due: an accepted verdict on exactly this tree, truly so.
    pub(super) fn may_commit(&self, tree: &TreeId) -> bool {
        let Some(underway) = &self.underway else {
            return false;
        };
        let (Some(report), Some(captured)) = (&underway.report, &underway.captured) else {
            return false;
        };
        underway.verdict == Some(true)
            && !underway.is_accepted
            && captured.tree.as_ref() == Some(tree)
            && accepts(self.scenario, &self.tolerated, underway.task, report, captured)
    }

    pub(super) fn committed(
        &mut self,
        (task, iteration): (&TaskId, u32),
        commit: &CommitId,
        tree: &TreeId,
        world: &World<'_>,
    ) {
        let due = self.may_commit(tree);
        self.must(due, Invariant::CommitFollowsVerdict, || format!("{commit} of {tree}"));
        let at = Self::commit(world, commit);
        let author = Author::Ralph { iteration, task: task.clone() };
        let real =
            world.git.commits.get(at).is_some_and(|object| {
                object.author == author && Tree::read(tree) == Some(object.tree)
            });
        self.must(real && world.git.head() == at, Invariant::CommittedOnce, || {
            format!("{commit} is not what the run branch stands at")
        });
        let repeated = self.commits.iter().any(|known| known.0 == iteration || known.1 == at);
        self.must(!repeated, Invariant::CommittedOnce, || format!("iteration {iteration} again"));
        self.commits.push((iteration, at));
    }

    pub(super) fn accepted(&mut self, task: &TaskId, world: &World<'_>) {
        let task = self.position(task);
        let accepted = self.underway.clone().filter(|underway| {
            underway.verdict == Some(true) && underway.task == task && !underway.is_accepted
        });
        let tree = accepted.and_then(|underway| underway.captured?.tree);
        let tree = tree.as_ref().and_then(Tree::read);
        self.must(tree.is_some(), Invariant::VerdictsAreTrue, || {
            "accepted without a verdict".into()
        });
        let on_branch = tree == Some(world.git.tree(world.git.head()));
        self.must(on_branch, Invariant::CommitFollowsVerdict, || {
            "accepted work is not on the run branch".into()
        });
        if let Some(tree) = tree {
            self.tolerated.tighten(self.scenario, tree);
        }
        if let Some(underway) = &mut self.underway {
            underway.is_accepted = true;
        }
        self.tasks[task].rejected = 0;
        self.tasks[task].overflowed = false;
        self.failures_in_a_row = 0;
        self.failed_in_a_row = 0;
    }

    pub(super) fn check_done(&mut self, task: usize, world: &World<'_>) {
        let tree = world.git.tree(world.git.head());
        let scenario = self.scenario;
        let criteria = criteria(scenario, task);
        let evidence = std::mem::take(&mut self.tasks[task].evidence);
        let complete = evidence.len() == criteria.len()
            && evidence.iter().zip(criteria).enumerate().all(|(at, (found, criterion))| {
                let judged = match (&found.by, criterion.check()) {
                    (Judged::Check { exit_code, .. }, Some(_)) => {
                        *exit_code == 0 && check_passes(tree, task, at)
                    }
                    (Judged::Unreviewed, None) => true,
                    _ => false,
                };
                judged
                    && Tree::read(&found.tree) == Some(tree)
                    && found.criterion == criterion.text()
            });
        let accepted = self.underway.as_ref().is_some_and(|underway| {
            let claimed = underway.report.as_ref().is_some_and(|report| report.claimed);
            underway.is_accepted && underway.task == task && (claimed || !is_prompt(scenario))
        });
        self.must(complete && accepted, Invariant::DoneHasEvidence, || {
            format!("task {task}: accepted {accepted}, evidence {evidence:?}")
        });
        self.tasks[task].evidence = evidence;
    }

    pub(super) fn check_failed(&mut self, task: usize, world: &World<'_>) {
        let head = world.git.head();
        let began = self.tasks[task].began_at;
        self.must(began == Some(head), Invariant::FailedGoesBack, || {
            format!("the branch is at c{head}, task {task} began at {began:?}")
        });
        let spent = self.last_ending == Some(Ending::Budget);
        let due = self.tasks[task].rejected >= self.max_attempts(task)
            || spent
            || self.task_limit_reached(task);
        self.must(due, Invariant::ChargedRightly, || format!("task {task} given up too early"));
    }

    pub(super) fn rejected(&mut self, rejection: &Rejection, world: &World<'_>) {
        let task = self.position(&rejection.task);
        let underway = self.underway.clone();
        let fair = underway.as_ref().is_some_and(|underway| {
            underway.verdict == Some(false)
                && underway.task == task
                && underway.report.as_ref().is_some_and(|report| match &report.ending {
                    Ending::ContextOverflow => self.tasks[task].overflowed,
                    ending => is_work(ending),
                })
        });
        self.must(fair, Invariant::ChargedRightly, || format!("{rejection:?}"));
        let expected = self.tasks[task].rejected + 1;
        let most = self.max_attempts(task);
        self.must(
            rejection.attempt == expected && rejection.max_attempts == most,
            Invariant::ChargedRightly,
            || {
                format!(
                    "attempt {}/{} instead of {expected}/{most}",
                    rejection.attempt, rejection.max_attempts
                )
            },
        );
        self.tasks[task].rejected = expected;
        self.failures_in_a_row = 0;
        self.check_kept(rejection.kept.as_deref(), world);
        let violated = underway
            .and_then(|underway| underway.captured)
            .is_none_or(|captured| !captured.violations.is_empty());
        let restart =
            violated || self.scenario.start.settings.attempts.on_reject == OnReject::Restart;
        self.must(!restart || rejection.work.is_none(), Invariant::ChargedRightly, || {
            "work is kept that must not be repaired".into()
        });
        if let Some(underway) = &mut self.underway {
            underway.verdict = None;
        }
    }

    pub(super) fn set_aside(&mut self, aside: &SetAside, world: &World<'_>) {
        let Some(underway) = self.underway.take() else {
            self.broke(Invariant::ChargedRightly, || "nothing was set aside".into());
            return;
        };
        let ending = underway.report.as_ref().map(|report| &report.ending);
        let fair = match aside.counts_as {
            Uncharged::Interrupt => self.stop.now,
            Uncharged::Failure => {
                ending.is_some_and(|ending| !is_work(ending) && !is_limit(ending))
            }
            Uncharged::Limit => ending.is_some_and(is_limit),
            Uncharged::Overflow => {
                ending == Some(&Ending::ContextOverflow) && !self.tasks[underway.task].overflowed
            }
        };
        self.must(fair, Invariant::ChargedRightly, || format!("{aside:?} after {ending:?}"));
        match aside.counts_as {
            Uncharged::Interrupt => {}
            Uncharged::Failure => {
                self.failures_in_a_row += 1;
                self.uncharged += 1;
            }
            Uncharged::Limit => self.uncharged += 1,
            Uncharged::Overflow => {
                self.uncharged += 1;
                self.tasks[underway.task].overflowed = true;
            }
        }
        self.again = Some(underway.number);
        self.underway = Some(underway);
        self.check_kept(aside.kept.as_deref(), world);
        self.underway = None;
    }

    /// What the agent left is under a ref, unless it is what the run branch holds anyway.
    fn check_kept(&mut self, reference: Option<&str>, world: &World<'_>) {
        let captured = self.underway.as_ref().and_then(|underway| underway.captured.as_ref());
        let Some(tree) = captured.and_then(|captured| captured.tree.as_ref()).and_then(Tree::read)
        else {
            return;
        };
        let kept = match reference {
            Some(name) => world.git.refs.get(name).is_some_and(|&at| world.git.tree(at) == tree),
            None => world.git.history().any(|at| world.git.tree(at) == tree),
        };
        self.must(kept, Invariant::RejectedIsKept, || format!("{tree:?} under {reference:?}"));
    }
}

/// Whether an ending leaves work to be judged and charged.
fn is_work(ending: &Ending) -> bool {
    matches!(
        ending,
        Ending::Ok
            | Ending::MaxTurns
            | Ending::StructuredOutputMissing
            | Ending::Refused { .. }
            | Ending::TimedOut
            | Ending::Stalled
            | Ending::AskedQuestion { .. }
    )
}

fn is_limit(ending: &Ending) -> bool {
    matches!(ending, Ending::UsageLimit { .. })
}
