//! Which task comes next, and what stands in the way of those that do not.

use super::RunState;
use crate::{ids::TaskId, plan::Status};

impl RunState {
    /// The next task to work on: the one under way, else by priority and order.
    pub fn pick(&self) -> Option<usize> {
        self.current.or_else(|| {
            self.index
                .selected(&self.start)
                .find(|&task| self.status(task) == Some(Status::Pending) && self.unblocked(task))
        })
    }

    /// Open tasks that cannot begin, with the task each of them waits for.
    pub fn blocked(&self) -> Vec<(TaskId, TaskId)> {
        let id = |at: usize| self.start.plan.tasks.get(at).map(|task| task.id.clone());
        self.index
            .selected(&self.start)
            .filter(|&task| self.status(task) == Some(Status::Pending))
            .filter_map(|task| {
                let cause = self
                    .index
                    .depends_on(task)
                    .iter()
                    .find(|&&on| !self.satisfied(on))?;
                Some((id(task)?, id(*cause)?))
            })
            .collect()
    }

    fn unblocked(&self, task: usize) -> bool {
        self.index
            .depends_on(task)
            .iter()
            .all(|&on| self.satisfied(on))
    }

    fn satisfied(&self, task: usize) -> bool {
        self.status(task).is_some_and(Status::satisfies)
    }

    fn status(&self, task: usize) -> Option<Status> {
        self.tasks.get(task).map(|progress| progress.status)
    }
}
