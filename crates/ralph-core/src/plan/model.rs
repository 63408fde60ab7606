//! A plan as data: its tasks and what holds for all of them. Must never judge or change one.

use super::Task;
use crate::ids::TaskId;

/// The format of plans that this version reads and writes.
pub const FORMAT_VERSION: u32 = 1;

/// A list of tasks and what holds for all of them. Unknown fields are kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Format version; 1 today.
    pub version: u32,
    /// What the work belongs to; names the default branch.
    pub project: String,
    /// Branch the run works on, if the plan says so.
    pub branch: String,
    /// What it is all about, for agents and people.
    pub description: String,
    /// Commands that become hard gates.
    pub verify_commands: Vec<String>,
    /// Limit of iterations the plan asks for.
    pub max_iterations: Option<u32>,
    /// `strict`, `lenient` or `tests_only`.
    pub validation_strategy: Option<String>,
    /// The work.
    pub tasks: Vec<Task>,
    /// Whatever else the file holds.
    pub extra: serde_json::Map<String, serde_json::Value>,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            version: FORMAT_VERSION,
            project: String::new(),
            branch: String::new(),
            description: String::new(),
            verify_commands: Vec::new(),
            max_iterations: None,
            validation_strategy: None,
            tasks: Vec::new(),
            extra: serde_json::Map::new(),
        }
    }
}

impl Plan {
    /// Position of a task.
    pub fn position(&self, id: &TaskId) -> Option<usize> {
        self.tasks.iter().position(|task| &task.id == id)
    }

    /// The task with this id.
    pub fn task(&self, id: &TaskId) -> Option<&Task> {
        self.tasks.iter().find(|task| &task.id == id)
    }

    /// Tasks that are not finished for good.
    pub fn open_tasks(&self) -> usize {
        self.tasks.iter().filter(|task| !task.status.satisfies()).count()
    }
}
