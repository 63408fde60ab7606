//! Reviews and what follows from them, beside what the reviewer really said.

use ralph_core::{
    ending::Ending,
    event::{Decision, Event, Reviewed},
    ids::TaskId,
    input::AgentReport,
    stuck::{Measures, Stuck},
    vocabulary::Kind,
};

use super::{Invariant, Oracle};
use crate::sim::{tree::Tree, world::World};

/// Most strategy shifts of a task.
const SHIFTS: u32 = 2;
/// Most reviews in a row without a verdict.
const UNUSABLE: u32 = 2;

/// A review that counts.
#[derive(Debug, Clone)]
pub(super) struct Heard {
    pub(super) agent: String,
    pub(super) iteration: u32,
    pub(super) tree: Tree,
    pub(super) met: Vec<bool>,
    pub(super) approved: bool,
    pub(super) is_honest: bool,
    /// All checks of the task had run on what it saw.
    pub(super) is_checked: bool,
}

impl Oracle<'_> {
    /// A reviewer ended: a verdict counts exactly if there is one.
    pub(super) fn review_ended(
        &mut self,
        report: &AgentReport,
        decision: &Decision,
        world: &World<'_>,
    ) {
        let counts = decision.events.iter().any(|event| matches!(event, Event::Reviewed(_)));
        let said = world.said.as_ref().and_then(|said| said.review.as_ref());
        let due = report.ending == Ending::Ok && said.is_some();
        self.must(counts == due, Invariant::ReviewsAreTrue, || {
            format!("counted {counts} instead of {due}: {:?}", report.ending)
        });
        let is_misfit =
            decision.events.iter().any(|event| matches!(event, Event::ReviewUnusable { .. }));
        let misfits = report.ending == Ending::Ok && said.is_none();
        self.must(is_misfit || !misfits, Invariant::ReviewsAreTrue, || {
            "words that are no review passed for one".into()
        });
    }

    pub(super) fn reviewed(&mut self, reviewed: &Reviewed, world: &World<'_>) {
        let task = self.position(&reviewed.task);
        let quality = self.scenario.start.settings.review.quality;
        let ran = self.underway.as_ref().filter(|underway| {
            underway.kind == Kind::Review
                && underway.task == task
                && underway.report.as_ref().is_some_and(|report| report.ending == Ending::Ok)
        });
        let number = ran.map(|underway| underway.number);
        let said = world
            .said
            .as_ref()
            .filter(|said| said.task == reviewed.task && Some(said.iteration) == number);
        let Some((said, review)) = said.and_then(|said| Some((said, said.review.as_ref()?))) else {
            self.broke(Invariant::ReviewsAreTrue, || "no review was made".into());
            return;
        };
        let tree = world.git.tree(world.git.head());
        let known = self.plan.tasks.get(task);
        let is_checked = known.is_some_and(|known| self.tasks[task].is_checked(known, tree));
        // A reviewer's word does not stand in for a check that has not run.
        let approved = review.approves(quality) && is_checked;
        let met: Vec<bool> = reviewed.judgement.rulings.iter().map(|ruling| ruling.met).collect();
        let is_true = reviewed.agent == said.agent
            && Tree::read(&reviewed.tree) == Some(tree)
            && said.tree == tree
            && met == review.met
            && reviewed.judgement.approved == approved;
        self.must(is_true, Invariant::ReviewsAreTrue, || format!("{reviewed:?}, but {said:?}"));
        let heard = Heard {
            agent: said.agent.clone(),
            iteration: said.iteration,
            tree: said.tree,
            met: review.met.clone(),
            approved,
            is_honest: said.is_honest,
            is_checked,
        };
        let count = self.tasks[task].reviews + 1;
        self.must(reviewed.review == count, Invariant::ReviewsAreCounted, || {
            format!("review {} instead of {count}", reviewed.review)
        });
        let account = &mut self.tasks[task];
        account.reviews = count;
        account.unusable = 0;
        account.heard = Some(heard);
        if !approved {
            account.change_requests += 1;
            account.requests.push(reviewed.print.clone());
        }
        let (requests, cap) = (account.change_requests, self.scenario.start.settings.review.cap);
        self.call_was_judged();
        self.must(requests <= cap, Invariant::LimitsHold, || {
            format!("change request {requests} of {cap}")
        });
    }

    pub(super) fn unusable(&mut self, task: &TaskId, nth: u32) {
        let task = self.position(task);
        let fair = self.underway.as_ref().is_some_and(|underway| {
            underway.kind == Kind::Review && underway.task == task && underway.report.is_some()
        });
        let account = &mut self.tasks[task];
        account.unusable += 1;
        let count = account.unusable;
        self.call_was_judged();
        self.must(fair && nth == count && nth <= UNUSABLE, Invariant::ReviewsAreCounted, || {
            format!("review without a verdict: {nth} instead of {count}")
        });
    }

    /// Stuck is said only where something repeats itself, and measures end.
    pub(super) fn escalated(&mut self, task: &TaskId, stuck: &Stuck, measures: &Measures) {
        let task = self.position(task);
        let account = &mut self.tasks[task];
        let same = |list: &[String], times: usize| {
            let Some(newest) = list.last() else {
                return false;
            };
            list.iter().filter(|print| *print == newest).count() >= times
        };
        let is_stuck = match stuck {
            Stuck::SameFailure { .. } => same(&account.failures, 3),
            Stuck::NothingChanges { .. } => account.idle >= 2,
            Stuck::SameFindings { .. } => same(&account.requests, 2),
        };
        account.shifts += u32::from(measures.shift);
        account.rungs += u32::from(measures.climb);
        let (shifts, rungs) = (account.shifts, account.rungs);
        let ladder = self.scenario.start.settings.escalation.agents.len();
        if let Some(underway) = &mut self.underway {
            underway.is_hopeless = *measures == Measures::default();
        }
        self.must(is_stuck, Invariant::StuckIsProved, || format!("{stuck:?}"));
        let in_bounds = shifts <= SHIFTS && rungs as usize <= ladder;
        self.must(in_bounds, Invariant::StuckIsProved, || {
            format!("{shifts} shifts, {rungs} of {ladder} rungs")
        });
    }
}
