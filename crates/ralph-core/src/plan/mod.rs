//! The plan: tasks, their criteria, and which changes of state are legal.
//!
//! ralph owns it; agents propose. Reading and writing text formats lives in `formats`.

pub mod formats;
mod task;
mod transition;

use serde::{Deserialize, Serialize};

pub use task::{Criterion, Status, Task};
pub use transition::{IllegalMove, check_move};

use crate::ids::TaskId;

/// A list of tasks and what holds for all of them. Unknown fields are kept.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Plan {
    /// Format version; 1 today.
    pub version: u32,
    /// What the work belongs to; names the default branch.
    pub project: String,
    /// Branch the run works on, if the plan says so.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub branch: String,
    /// What it is all about, for agents and people.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Commands that become hard gates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verify_commands: Vec<String>,
    /// Limit of iterations the plan asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u32>,
    /// `strict`, `lenient` or `tests_only`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation_strategy: Option<String>,
    /// The work.
    pub tasks: Vec<Task>,
    /// Whatever else the file holds.
    #[serde(flatten)]
    pub extra: serde_json::Map<String, serde_json::Value>,
}

impl Plan {
    /// Position of a task.
    pub fn position(&self, id: &TaskId) -> Option<usize> {
        self.tasks.iter().position(|task| &task.id == id)
    }

    /// Tasks that are not finished for good.
    pub fn open_tasks(&self) -> usize {
        self.tasks
            .iter()
            .filter(|task| !task.status.satisfies())
            .count()
    }
}
