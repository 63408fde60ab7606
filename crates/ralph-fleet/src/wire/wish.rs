//! What a person wants of a loop, on its way to the run. Knows nothing of what becomes of it.

use ralph_core::{ids::TaskId, input, plan::person::TaskWish};
use serde::{Deserialize, Serialize};

/// What a person wants. The id is the name of the file in the run's inbox: obeyed once, however often it is delivered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Wish {
    pub id: String,
    pub wish: input::Wish,
}

impl Wish {
    /// The task that it decides about.
    pub fn task(&self) -> Option<&str> {
        self.change()?.task().map(TaskId::as_str)
    }

    /// What it decides, if it is a decision.
    pub fn change(&self) -> Option<&TaskWish> {
        let input::Wish::Task { change } = &self.wish else { return None };
        Some(change)
    }
}
