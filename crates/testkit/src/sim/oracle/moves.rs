//! How tasks move: legally, and each move for a reason that the journal shows.

use ralph_core::{
    ending::Ending,
    event::{Decision, Event},
    ids::{CommitId, TaskId},
    input::Reapplied,
    plan::{Status, check_move, person::TaskWish},
    settings::AtCap,
    vocabulary::Kind,
};

use super::{
    Invariant, Oracle,
    agents::Due,
    truth::{is_prompt, is_reviewed},
};
use crate::sim::{tree::Tree, world::World};

impl Oracle<'_> {
    pub(super) fn moved(
        &mut self,
        id: &TaskId,
        (from, to): (Status, Status),
        decision: &Decision,
        world: &World<'_>,
    ) {
        let task = self.position(id);
        let status = self.tasks[task].status;
        self.must(status == from && check_move(from, to).is_ok(), Invariant::NoTaskIsLost, || {
            format!("{id} is {status:?}, moved from {from:?} to {to:?}")
        });
        let has_reason = self.has_reason(id, (from, to), decision);
        self.must(has_reason, Invariant::MovesHaveReasons, || {
            format!("{id} moved from {from:?} to {to:?} by {:?}", decision.events)
        });
        self.tasks[task].status = to;
        if to == Status::InProgress {
            self.current = Some(task);
            if from != Status::ChangesRequested {
                self.tasks[task].began_at = self.head;
                self.tasks[task].accepted = None;
                self.tasks[task].was_in_review = false;
                self.tasks[task].commits.clear();
            }
            return;
        }
        let goes_on = matches!(to, Status::NeedsReview | Status::ChangesRequested);
        if self.current == Some(task) {
            self.current = self.current.filter(|_| goes_on);
            self.again = None;
        }
        if self.wished(decision, |_| true) {
            // A person took it out of the iteration that would have run again.
            self.underway = self.underway.take().filter(|underway| underway.task != task);
        }
        match to {
            Status::Done => self.check_done(task, world),
            Status::Failed => {
                self.check_failed(task, world);
                self.failed_in_a_row += 1;
                let account = &self.tasks[task];
                self.last_failure = account.failures.last().map(|_| account.shared.clone());
            }
            Status::Parked => self.check_parked(task, world),
            Status::Pending => self.set_free(task, from, decision),
            _ => {}
        }
    }

    /// Only work, reviews and people move tasks.
    fn has_reason(&self, id: &TaskId, (from, to): (Status, Status), decision: &Decision) -> bool {
        let task = self.plan.position(id).and_then(|at| self.plan.tasks.get(at));
        let has = |fits: &dyn Fn(&Event) -> bool| decision.events.iter().any(fits);
        let wished = |word: &str| {
            self.wished(decision, |wish| wish.word() == word && wish.task() == Some(id))
        };
        match to {
            Status::InProgress => has(
                &|event| matches!(event, Event::IterationStarted(start) if start.task == *id && start.kind != Kind::Review),
            ),
            Status::NeedsReview if from == Status::ChangesRequested => wished("approve"),
            Status::NeedsReview => {
                has(&|event| matches!(event, Event::AttemptAccepted { task, .. } if task == id))
                    && task.is_some_and(|task| is_reviewed(self.scenario, task))
            }
            Status::ChangesRequested => {
                let is_changed = |event: &Event| {
                    matches!(event, Event::PlanChanged { .. } | Event::ProposalDecided { .. })
                };
                has(&|event| matches!(event, Event::Reviewed(reviewed) if reviewed.task == *id))
                    || (self.wished(decision, |_| true) && has(&is_changed))
            }
            Status::Failed => {
                has(&|event| matches!(event, Event::WorkKept { task, .. } if task == id))
            }
            Status::Parked => has(&|event| match event {
                Event::WorkKept { task, .. } => task == id,
                Event::WorkReapplied { task, result } => task == id && result.tree.is_none(),
                _ => false,
            }),
            Status::Pending => wished("retry") || wished("answer") || wished("approve"),
            Status::Skipped => wished("skip"),
            Status::Done => {
                has(&|event| matches!(event, Event::EvidenceRecorded { task, .. } if task == id))
            }
        }
    }

    fn set_free(&mut self, task: usize, from: Status, decision: &Decision) {
        let account = &mut self.tasks[task];
        if from == Status::Parked && !decision.events.iter().any(starts_over) {
            account.reapply = account.branch.take();
        }
        account.is_approved =
            decision.events.iter().any(|event| matches!(event, Event::ApprovalGiven { .. }));
    }

    pub(super) fn approved(&mut self, task: &TaskId, decision: &Decision) {
        let asked =
            self.wished(decision, |wish| matches!(wish, TaskWish::Approve { id } if id == task));
        self.must(asked, Invariant::MovesHaveReasons, || format!("nobody approved {task}"));
        let task = self.position(task);
        self.tasks[task].fresh();
    }

    fn check_failed(&mut self, task: usize, world: &World<'_>) {
        self.check_went_back(task, world);
        let spent = self.last_ending == Some(Ending::Budget);
        let hopeless = self.underway.as_ref().is_some_and(|underway| underway.is_hopeless);
        let account = &self.tasks[task];
        let most = self.max_attempts(task);
        let due = account.rejected >= account.had.map_or(most, |had| had.min(most))
            || spent
            || hopeless
            || self.task_limit_reached(task);
        self.must(due, Invariant::ChargedRightly, || format!("task {task} given up too early"));
    }

    fn check_parked(&mut self, task: usize, world: &World<'_>) {
        if self.tasks[task].is_approved {
            // Approved work that does not fit any more waits where it was.
            self.tasks[task].is_approved = false;
            return;
        }
        self.check_went_back(task, world);
        let account = &self.tasks[task];
        let review = &self.scenario.start.settings.review;
        let asked = self.underway.as_ref().is_some_and(|u| u.asked || u.due == Due::Parked);
        let is_checked = account.heard.as_ref().is_none_or(|heard| heard.is_checked);
        let may_park = review.at_cap == AtCap::Park || !is_checked;
        let at_cap = may_park && account.change_requests >= review.cap;
        let due = asked || at_cap || account.unusable >= 2 || self.parks_by_policy();
        self.must(due, Invariant::ChargedRightly, || format!("task {task} parked too early"));
    }

    /// The run branch is where the task began, and what is done is still on it.
    fn check_went_back(&mut self, task: usize, world: &World<'_>) {
        let head = world.git.head();
        // Earlier rounds of a prompt were accepted for good.
        let accepted =
            self.tasks[task].commits.last().copied().filter(|_| is_prompt(self.scenario));
        let began = accepted.or(self.tasks[task].began_at);
        self.must(began == Some(head), Invariant::FailedGoesBack, || {
            format!("the branch is at c{head}, task {task} began at {began:?}")
        });
        let history: Vec<usize> = world.git.history().collect();
        let lost = self.tasks.iter().position(|account| {
            account.status == Status::Done
                && account.commits.iter().any(|commit| !history.contains(commit))
        });
        self.must(lost.is_none(), Invariant::FailedGoesBack, || {
            format!("the work of task {lost:?} is no longer on the run branch")
        });
    }

    /// Work that is given up or parked is on its branch, all of it.
    pub(super) fn work_kept(
        &mut self,
        (task, branch): (&TaskId, &str),
        head: &CommitId,
        world: &World<'_>,
    ) {
        let task = self.position(task);
        self.head = world.git.find(head);
        let there = world.git.refs.get(branch).map(|&at| world.git.tree(at));
        let underway = self.underway.as_ref();
        let captured = underway.and_then(|underway| underway.captured.as_ref());
        let left = match captured {
            Some(captured) => captured.tree.as_ref().and_then(Tree::read),
            None => underway.filter(|u| u.kind == Kind::Review).map(|underway| underway.base),
        };
        let kept = there.is_some() && left.is_none_or(|tree| there == Some(tree));
        self.must(kept, Invariant::RejectedIsKept, || {
            format!("{left:?} should be on {branch}, which holds {there:?}")
        });
        let account = &mut self.tasks[task];
        account.branch = Some(branch.to_owned());
        account.kept += 1;
        account.accepted = None;
    }

    pub(super) fn reapplied(&mut self, task: &TaskId, result: &Reapplied, world: &World<'_>) {
        let task = self.position(task);
        let is_true = world.reapplied.as_ref() == Some(result);
        let branch = self.tasks[task].reapply.take();
        self.must(is_true && branch.is_some(), Invariant::ParkedComesBack, || {
            format!("{result:?} of {branch:?}, but {:?}", world.reapplied)
        });
        let account = &mut self.tasks[task];
        match &result.tree {
            Some(tree) => account.brought_back = Tree::read(tree),
            None if account.is_approved => account.branch = branch,
            None => {}
        }
    }
}

fn starts_over(event: &Event) -> bool {
    matches!(event, Event::TaskReset { .. })
}
