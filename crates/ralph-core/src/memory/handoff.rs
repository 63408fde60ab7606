//! The structured report at the end of an iteration, read as leniently as it can be read safely.

use serde::{Deserialize, Serialize};

/// What the agent says it did. All of it is claim, none of it verdict.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Handoff {
    pub task_completed: TaskCompleted,
    /// Message for the commit, first line as subject.
    pub commit_message: Option<String>,
    /// What a person must answer before the work can go on.
    pub question: Option<String>,
    /// Everything else the agent reported, kept as it came.
    #[serde(flatten)]
    pub rest: serde_json::Map<String, serde_json::Value>,
}

/// The agent's own view of the task.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskCompleted {
    pub task_id: String,
    pub summary: String,
    /// `None`: it did not say.
    pub fully_complete: Option<bool>,
}
