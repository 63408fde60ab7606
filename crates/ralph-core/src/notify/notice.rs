//! One thing that somebody should hear of. Says nothing about when or by which channel.

use crate::{ids::TaskId, settings::Occasion, time::Timestamp};

/// One thing that somebody should hear of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub occasion: Occasion,
    pub at: Timestamp,
    pub task: Option<TaskId>,
    /// What happened, in a line.
    pub title: String,
    /// A question, an error or a reason: written by others, and sent only where that is wanted.
    pub text: String,
    /// What to type about it; empty if nothing.
    pub next: String,
}

impl Notice {
    /// The run's process is gone, and no end was written.
    pub fn died(at: Timestamp) -> Self {
        Self {
            occasion: Occasion::Died,
            at,
            task: None,
            title: "the run died: its process is gone without an end".into(),
            text: String::new(),
            next: "ralph resume".into(),
        }
    }
}
