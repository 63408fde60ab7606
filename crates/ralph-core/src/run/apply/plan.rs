//! What becomes of the plan itself: tasks that come, change or are dropped.

use std::sync::Arc;

use crate::{
    plan::{
        Status,
        amend::{self, Amendment, Ruled, Ruling},
        person::{self, TaskWish},
    },
    run::{RunState, TaskProgress, index::PlanIndex},
};

/// Most refusals that the next prompt names.
const MOST_REFUSALS: usize = 6;

impl RunState {
    pub(super) fn ruled(&mut self, ruled: &[Ruled]) {
        for one in ruled {
            match &one.ruling {
                Ruling::Applied => self.amend_for_agent(&one.proposal.amendment),
                Ruling::Waits { .. } => {
                    self.proposals_numbered += 1;
                    self.proposals.insert(self.proposals_numbered, one.clone());
                }
                Ruling::Refused { why } => {
                    self.counters.amendments_refused += 1;
                    if self.refused.len() < MOST_REFUSALS {
                        self.refused.push(format!("{}: {why}", one.proposal.amendment.headline()));
                    }
                }
            }
        }
    }

    pub(super) fn decided(&mut self, number: u32, accepted: bool) {
        match self.proposals.remove(&number) {
            Some(one) if accepted => self.amend_for_agent(&one.proposal.amendment),
            Some(_) => self.counters.amendments_refused += 1,
            None => {}
        }
    }

    pub(super) fn plan_changed(&mut self, wish: &TaskWish) {
        // Whether it may be was ruled on with the statuses of now; those in the plan are of the start.
        if let Some(amendment) = person::as_amendment(wish) {
            let _ = amend::apply(Arc::make_mut(&mut self.start.plan), &amendment);
            self.follow_plan();
        }
    }

    fn amend_for_agent(&mut self, amendment: &Amendment) {
        self.counters.amended += 1;
        self.amend(amendment);
    }

    /// A removed task stays in its place as skipped: others name it, and its record is kept.
    fn amend(&mut self, amendment: &Amendment) {
        if let Amendment::Remove { id, .. } = amendment {
            let at = self.position(id);
            if let Some(progress) = at.and_then(|at| self.tasks.get_mut(at)) {
                progress.status = Status::Skipped;
            }
            if at.is_some() && self.current == at {
                self.current = None;
                self.again = None;
            }
        } else {
            let _ = amend::apply(Arc::make_mut(&mut self.start.plan), amendment);
            self.follow_plan();
        }
    }

    fn follow_plan(&mut self) {
        let known = self.tasks.len();
        let mode = self.start.settings.review.mode;
        let new = self.start.plan.tasks.iter().skip(known);
        self.tasks.extend(new.map(|task| TaskProgress::at_start(task, mode)));
        self.index = PlanIndex::new(&self.start.plan);
    }
}
