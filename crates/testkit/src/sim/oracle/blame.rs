//! Calls that keep failing: one task is parked for them, a second one in a row ends the run.

use ralph_core::{
    ending::Ending,
    event::{Source, Uncharged},
    ids::TaskId,
    plan::Status,
    settings::Policy,
    time::Timestamp,
    vocabulary::Kind,
};

use super::{Invariant, Oracle, agents::Due};

/// How the calls of one sort went since the run was taken up.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Record {
    was_good: bool,
    parked: Option<usize>,
}

/// Those who work and those who review are told apart.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Records {
    work: Record,
    reviews: Record,
}

impl Records {
    fn of(&mut self, kind: Kind) -> &mut Record {
        if kind == Kind::Review { &mut self.reviews } else { &mut self.work }
    }
}

impl Oracle<'_> {
    /// Somebody judged what the call under way left.
    pub(super) fn call_was_judged(&mut self) {
        self.failures_in_a_row = 0;
        let called = self.underway.as_ref().map(|underway| underway.kind);
        if let Some(kind) = called.filter(|kind| *kind != Kind::Apply) {
            *self.records.of(kind) = Record { was_good: true, parked: None };
        }
    }

    /// Whether the call under way, which ended like this, must park its task and not end the run.
    pub(super) fn must_put_aside(&mut self, ending: &Ending) -> bool {
        let Some((task, kind)) = self.underway.as_ref().map(|u| (u.task, u.kind)) else {
            return false;
        };
        let limits = self.limits();
        let is_last =
            self.failures_in_a_row >= limits.max_retries && self.uncharged < limits.max_uncharged;
        let has_plan = matches!(self.scenario.start.source, Source::Plan | Source::Tasks { .. });
        let record = *self.records.of(kind);
        let is_alone = record.parked.is_none_or(|other| other == task);
        let has_hope = record.was_good || self.has_other_work(task);
        self.is_retried(ending) && is_last && has_plan && is_alone && has_hope
    }

    fn is_retried(&self, ending: &Ending) -> bool {
        match self.policy(ending) {
            Some(Policy::Retry) => true,
            Some(Policy::Wait | Policy::Park | Policy::Stop) => false,
            None | Some(Policy::Fallback) => {
                !matches!(ending, Ending::AuthFailed { .. } | Ending::NotFound { .. })
            }
        }
    }

    fn has_other_work(&self, task: usize) -> bool {
        (0..self.tasks.len()).any(|other| {
            other != task
                && self.is_selected(other)
                && match self.tasks[other].status {
                    Status::Pending => self.is_unblocked(other),
                    Status::NeedsReview | Status::ChangesRequested => true,
                    _ => false,
                }
        })
    }

    /// A call that is not charged: right only where its task need not be parked.
    pub(super) fn check_blame(&mut self, ending: &Ending, counts_as: Uncharged) {
        let is_wrong = counts_as == Uncharged::Failure && self.must_put_aside(ending);
        self.must(!is_wrong, Invariant::BlameIsFair, || {
            format!("one task's calls end the run: {ending:?}")
        });
    }

    pub(super) fn kept_failing(&mut self, id: &TaskId, at: Timestamp) {
        let task = self.position(id);
        let Some(underway) = self.underway.clone().filter(|underway| underway.task == task) else {
            self.broke(Invariant::BlameIsFair, || format!("{id} is not under way"));
            return;
        };
        let ending = underway.report.map(|report| report.ending);
        let is_due = ending.is_some_and(|ending| {
            self.leads_to(&ending, task, at) == Due::SetAside(Uncharged::Failure)
                && self.must_put_aside(&ending)
        });
        let is_cut = self.is_cut();
        self.must(is_due && !is_cut, Invariant::BlameIsFair, || {
            format!("{id} is parked for what the agent does")
        });
        self.failures_in_a_row = 0;
        self.uncharged += 1;
        self.records.of(underway.kind).parked = Some(task);
        if let Some(underway) = &mut self.underway {
            underway.due = Due::Parked;
        }
    }
}
