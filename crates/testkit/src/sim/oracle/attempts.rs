//! Verdicts, commits, charges, and where unaccepted work is kept.

use ralph_core::{
    ending::Ending,
    event::{Rejection, SetAside, Uncharged},
    ids::{CommitId, TaskId, TreeId},
    plan::Criterion,
    settings::OnReject,
    time::Timestamp,
    verdict::Verdict,
    vocabulary::Kind,
};

use super::{
    Invariant, Oracle,
    agents::Due,
    truth::{accepts, has_hard_gate, is_forbidden, is_reviewed},
};
use crate::sim::{git::Author, tree::Tree, world::World};

impl Oracle<'_> {
    pub(super) fn verdict(&mut self, verdict: &Verdict, world: &World<'_>) {
        let Some(underway) = self.underway.clone() else {
            self.broke(Invariant::VerdictsAreTrue, || "a verdict on nothing".into());
            return;
        };
        let task = self.plan.tasks.get(underway.task).cloned().unwrap_or_default();
        let is_attempt = underway.report.is_some() || underway.kind == Kind::Apply;
        let Some(captured) = underway.captured.as_ref().filter(|_| is_attempt) else {
            self.broke(Invariant::VerdictsAreTrue, || "a verdict on no attempt".into());
            return;
        };
        self.must(!underway.asked, Invariant::QuestionsAreHeard, || format!("{verdict:?}"));
        let truth = accepts(world, &self.tolerated, &task, &underway);
        self.must(
            verdict.accepted == truth && verdict.tree == captured.tree,
            Invariant::VerdictsAreTrue,
            || format!("{verdict:?}, but accepted should be {truth} for {captured:?}"),
        );
        if verdict.accepted {
            let judged = task.acceptance_criteria.iter().any(|c| c.check().is_some())
                || is_reviewed(self.scenario, &task)
                || underway.kind == Kind::Apply;
            let trusted = self.scenario.start.settings.claims.trust_agent;
            self.must(
                judged || trusted || has_hard_gate(self.scenario),
                Invariant::NothingToVerifyWith,
                || format!("{verdict:?}"),
            );
        }
        if let Some(underway) = &mut self.underway {
            underway.verdict = Some(verdict.accepted);
        }
    }

    /// Whether a commit of this tree is due: an accepted verdict on exactly this tree, truly so.
    pub(super) fn may_commit(&self, tree: &TreeId, world: &World<'_>) -> bool {
        let Some(underway) = &self.underway else {
            return false;
        };
        let (Some(task), Some(captured)) = (self.plan.tasks.get(underway.task), &underway.captured)
        else {
            return false;
        };
        underway.verdict == Some(true)
            && !underway.is_accepted
            && captured.tree.as_ref() == Some(tree)
            && accepts(world, &self.tolerated, task, underway)
    }

    pub(super) fn committed(
        &mut self,
        (task, iteration): (&TaskId, u32),
        commit: &CommitId,
        tree: &TreeId,
        world: &World<'_>,
    ) {
        let due = self.may_commit(tree, world);
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
        self.head = Some(at);
        let task = self.position(task);
        self.tasks[task].commits.push(at);
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
            self.tolerated.tighten(world, tree);
        }
        if let Some(underway) = &mut self.underway {
            underway.is_accepted = true;
        }
        let known = self.plan.tasks.get(task).map(|task| task.acceptance_criteria.as_slice());
        let checks = known.into_iter().flatten().filter_map(Criterion::check);
        let checked: Vec<String> = checks.map(str::to_owned).collect();
        let account = &mut self.tasks[task];
        account.checked = checked;
        account.rejected = 0;
        account.had = None;
        account.attempts += 1;
        account.overflowed = false;
        account.accepted = tree;
        account.heard = None;
        account.unusable = 0;
        account.failures.clear();
        account.idle = 0;
        self.call_was_judged();
        self.failed_in_a_row = 0;
        self.last_failure = None;
    }

    pub(super) fn rejected(&mut self, rejection: &Rejection, world: &World<'_>) {
        let task = self.position(&rejection.task);
        let underway = self.underway.clone();
        let fair = underway.as_ref().is_some_and(|underway| {
            underway.verdict == Some(false)
                && underway.task == task
                && match underway.report.as_ref().map(|report| &report.ending) {
                    Some(_) => underway.due == Due::Judged,
                    None => underway.kind == Kind::Apply,
                }
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
        let idle =
            underway.as_ref().and_then(|u| u.captured.as_ref()).is_some_and(|c| c.changed == 0);
        let is_first = self.tasks[task].attempts == 0;
        self.is_systemic = is_first
            && !rejection.shared.is_empty()
            && self.last_failure.as_ref() == Some(&rejection.shared);
        let had = self.max_attempts(task);
        let account = &mut self.tasks[task];
        account.rejected = expected;
        account.had = Some(had);
        account.attempts += 1;
        account.is_approved = false;
        account.failures.push(rejection.fingerprint.clone());
        account.shared.clone_from(&rejection.shared);
        account.idle = if idle { account.idle + 1 } else { 0 };
        self.call_was_judged();
        self.check_kept(rejection.kept.as_deref(), world);
        let violated = underway
            .and_then(|underway| underway.captured)
            .is_none_or(|c| !c.violations.is_empty() || is_forbidden(self.scenario, &c));
        let restart =
            violated || self.scenario.start.settings.attempts.on_reject == OnReject::Restart;
        self.must(!restart || rejection.work.is_none(), Invariant::ChargedRightly, || {
            "work is kept that must not be repaired".into()
        });
        if let Some(underway) = &mut self.underway {
            underway.verdict = None;
        }
    }

    pub(super) fn set_aside(&mut self, aside: &SetAside, at: Timestamp, world: &World<'_>) {
        let Some(underway) = self.underway.take() else {
            self.broke(Invariant::ChargedRightly, || "nothing was set aside".into());
            return;
        };
        let ending = underway.report.as_ref().map(|report| &report.ending);
        let due = underway.report.as_ref().map(|report| {
            self.underway = Some(underway.clone());
            self.check_blame(&report.ending, aside.counts_as);
            self.leads_to(&report.ending, underway.task, at)
        });
        self.underway = None;
        let fair = match aside.counts_as {
            Uncharged::Interrupt => self.is_cut(),
            other => due == Some(Due::SetAside(other)),
        };
        self.must(fair, Invariant::ChargedRightly, || format!("{aside:?} after {ending:?}"));
        self.check_cut(aside, &underway, world);
        self.iteration_told();
        match aside.counts_as {
            Uncharged::Interrupt | Uncharged::Cut => {}
            Uncharged::Failure => {
                self.failures_in_a_row += 1;
                self.uncharged += 1;
            }
            Uncharged::Limit => {
                // Only the longest wait bounds an outage.
                let is_outage = matches!(ending, Some(Ending::Overloaded { .. }));
                self.uncharged += u32::from(!is_outage);
            }
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
pub(super) fn is_work(ending: &Ending) -> bool {
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
