//! How many tasks stand where. Kept by moves, never by walking the plan again.

use ralph_core::plan::{Status, Task};

/// How many tasks stand where, among those the run is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counts {
    pub(crate) total: usize,
    pub(crate) done: usize,
    pub(crate) skipped: usize,
    pub(crate) failed: usize,
    pub(crate) parked: usize,
}

impl Counts {
    fn slot(&mut self, status: Status) -> Option<&mut usize> {
        match status {
            Status::Done => Some(&mut self.done),
            Status::Skipped => Some(&mut self.skipped),
            Status::Failed => Some(&mut self.failed),
            Status::Parked => Some(&mut self.parked),
            Status::Pending
            | Status::InProgress
            | Status::NeedsReview
            | Status::ChangesRequested => None,
        }
    }

    /// One task went from one status to another.
    pub(crate) fn moved(&mut self, from: Status, to: Status) {
        if let Some(slot) = self.slot(from) {
            *slot = slot.saturating_sub(1);
        }
        if let Some(slot) = self.slot(to) {
            *slot += 1;
        }
    }

    /// Counts of some tasks.
    pub(crate) fn of<'a>(tasks: impl Iterator<Item = &'a Task>) -> Self {
        let mut counts = Self::default();
        for task in tasks {
            counts.total += 1;
            if let Some(slot) = counts.slot(task.status) {
                *slot += 1;
            }
        }
        counts
    }

    /// Done or skipped.
    pub(crate) fn satisfied(self) -> usize {
        self.done + self.skipped
    }

    /// Neither finished nor given up.
    pub(crate) fn open(self) -> usize {
        self.total.saturating_sub(self.satisfied() + self.failed + self.parked)
    }
}
