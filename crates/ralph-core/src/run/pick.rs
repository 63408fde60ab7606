//! Which task comes next, and what blocks those that do not.

use super::RunState;
use crate::{event::Source, ids::TaskId, plan::Status, vocabulary::Kind};

impl RunState {
    /// The next task to work on: the one under way, else fixes before reviews before new work, each by
    /// priority and order.
    pub fn pick(&self) -> Option<usize> {
        let first = |wanted: Status| {
            let mut tasks = self.index.selected(&self.start);
            tasks.find(|&task| {
                self.status(task) == Some(wanted)
                    && (wanted != Status::Pending || self.unblocked(task))
            })
        };
        self.current
            .or_else(|| first(Status::ChangesRequested))
            .or_else(|| first(Status::NeedsReview))
            .or_else(|| first(Status::Pending))
    }

    /// Whether there is something else to do while this task waits.
    pub(super) fn has_other_work(&self, task: usize) -> bool {
        let mut others = self.index.selected(&self.start).filter(|&other| other != task);
        others.any(|other| match self.status(other) {
            Some(Status::Pending) => self.unblocked(other),
            Some(Status::NeedsReview | Status::ChangesRequested) => true,
            _ => false,
        })
    }

    /// Positions of the tasks this run is about, in the order of the plan.
    pub fn selected(&self) -> Vec<usize> {
        let mut tasks: Vec<usize> = self.index.selected(&self.start).collect();
        tasks.sort_unstable();
        tasks
    }

    /// What the next iteration on a task is for.
    pub fn kind_of(&self, task: usize) -> Kind {
        let detail = self.detail(task);
        let is_approved = detail.is_some_and(|detail| detail.approved);
        match &self.start.source {
            Source::Prompt { .. } if !is_approved => Kind::Prompt,
            Source::Planning { .. } => Kind::Plan,
            _ if self.status(task) == Some(Status::NeedsReview) => Kind::Review,
            _ if is_approved => Kind::Apply,
            _ if detail.is_some_and(|detail| !detail.findings.is_empty()) => Kind::Fix,
            _ => Kind::Implement,
        }
    }

    /// Open tasks that cannot begin, with the task each of them waits for.
    pub fn blocked(&self) -> Vec<(TaskId, TaskId)> {
        let id = |at: usize| self.task(at).map(|task| task.id.clone());
        self.index
            .selected(&self.start)
            .filter(|&task| self.status(task) == Some(Status::Pending))
            .filter_map(|task| {
                let cause = self.index.depends_on(task).iter().find(|&&on| !self.satisfied(on))?;
                Some((id(task)?, id(*cause)?))
            })
            .collect()
    }

    fn unblocked(&self, task: usize) -> bool {
        self.index.depends_on(task).iter().all(|&on| self.satisfied(on))
    }

    fn satisfied(&self, task: usize) -> bool {
        self.status(task).is_some_and(Status::satisfies)
    }

    fn status(&self, task: usize) -> Option<Status> {
        self.tasks.get(task).map(|progress| progress.status)
    }
}
