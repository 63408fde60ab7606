//! A compaction as the journal tells it: why it was due, who did it, what is known since.

use serde::{Deserialize, Serialize};

use super::context::Context;

/// An agent is asked to compact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompactionStart {
    /// Counts compactions of the run from 1.
    pub number: u32,
    /// The iteration after which it happens.
    pub after: u32,
    pub why: Trigger,
    pub agent: String,
    pub model: String,
    /// Libraries whose documentation is wanted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub libraries: Vec<String>,
}

/// What is known from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compaction {
    /// Counts compactions of the run from 1.
    pub number: u32,
    /// The iteration after which it happened.
    pub after: u32,
    pub why: Trigger,
    pub by: Compactor,
    /// Records that went into it.
    pub records: u32,
    /// Tokens of the stored form.
    pub tokens: u32,
    /// Facts that had no room.
    pub left_out: u32,
    pub context: Context,
}

/// Why memory is compacted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "trigger", rename_all = "snake_case")]
pub enum Trigger {
    /// The next task needs documentation that is not known yet.
    Task { task: String },
    /// So many bytes of handoffs came since the last one.
    Threshold { bytes: u64 },
    /// So many coding iterations came since the last one.
    Interval { iterations: u32 },
}

/// Who compacted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "compactor", rename_all = "snake_case")]
pub enum Compactor {
    Agent {
        agent: String,
        model: String,
    },
    /// ralph itself; `why` tells what became of the agent that was asked.
    BuiltIn {
        #[serde(default, skip_serializing_if = "String::is_empty")]
        why: String,
    },
}

impl Compactor {
    /// The agent's name, or `built-in`.
    pub fn name(&self) -> &str {
        match self {
            Self::Agent { agent, .. } => agent,
            Self::BuiltIn { .. } => "built-in",
        }
    }
}

impl Trigger {
    /// The trigger in words.
    pub fn describe(&self) -> String {
        match self {
            Self::Task { task } => format!("{task} needs documentation"),
            Self::Threshold { bytes } => format!("{bytes} bytes of handoffs"),
            Self::Interval { iterations } => format!("{iterations} iterations"),
        }
    }
}
