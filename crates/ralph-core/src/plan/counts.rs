//! How many tasks have which status.

use super::Status;

/// How many tasks have which status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StatusCounts {
    pub total: usize,
    pub done: usize,
    pub skipped: usize,
    pub failed: usize,
    pub parked: usize,
}

impl StatusCounts {
    /// Counts some tasks by their statuses.
    pub fn of(statuses: impl Iterator<Item = Status>) -> Self {
        let mut counts = Self::default();
        for status in statuses {
            counts.total += 1;
            if let Some(count) = counts.count(status) {
                *count += 1;
            }
        }
        counts
    }

    /// One of them got another status.
    pub fn moved(&mut self, from: Status, to: Status) {
        if let Some(count) = self.count(from) {
            *count = count.saturating_sub(1);
        }
        if let Some(count) = self.count(to) {
            *count += 1;
        }
    }

    fn count(&mut self, status: Status) -> Option<&mut usize> {
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

    /// Done or skipped.
    pub fn satisfied(self) -> usize {
        self.done + self.skipped
    }

    /// Neither finished nor given up.
    pub fn open(self) -> usize {
        self.total.saturating_sub(self.satisfied() + self.failed + self.parked)
    }
}
