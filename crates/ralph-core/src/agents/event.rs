//! The events that every agent's stream is turned into. Not journaled: chatter for reporters and the watch.

use serde::{Deserialize, Serialize};

use crate::{time::Timestamp, usage::Usage};

/// One thing an agent did or said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum AgentEvent {
    /// The session began.
    Session {
        id: String,
        model: String,
    },
    ToolStart {
        id: String,
        name: String,
        input: String,
    },
    ToolEnd {
        id: String,
        output: String,
        lines: u64,
        chars: u64,
        is_error: bool,
    },
    Text {
        text: String,
    },
    Thinking {
        text: String,
    },
    Todo {
        items: Vec<TodoItem>,
    },
    Progress {
        text: String,
    },
    /// The agent's own retry of a failed request; silence after it is waiting, not a hang.
    Retry {
        attempt: u32,
        of: u32,
        /// How long it waits, where it says so.
        delay_ms: Option<u64>,
        error: String,
    },
    /// A tool call was not allowed.
    Denied {
        tool: String,
        why: String,
    },
    /// What the call has used so far.
    Spent {
        usage: Usage,
    },
    RateLimit {
        status: String,
        resets_at: Option<Timestamp>,
        utilization: Option<f64>,
    },
    /// The turn is over.
    Result {
        is_error: bool,
        text: String,
        usage: Usage,
        turns: u32,
    },
}

/// One entry of an agent's own list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoItem {
    pub text: String,
    pub status: String,
}
