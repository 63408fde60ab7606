//! How a run ended, said truthfully, and the exit code that goes with it.

use serde::{Deserialize, Serialize};

/// The one reason a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// Everything in the plan is done or skipped, or the prompt's completion was proved.
    Done,
    /// A plan was drafted; a person decides what becomes of it.
    Drafted,
    /// A limit was reached with work left.
    Limit { which: String },
    /// A person asked for it with work left.
    Stopped,
    /// Nothing is left that ralph could do, but tasks failed or wait for a person.
    NeedsPerson { why: String },
    /// The agent cannot be used.
    AgentUnusable { why: String, help: String },
    /// Git or the workspace prevents it.
    Workspace { why: String, help: String },
    /// Settings or the plan prevent it.
    Preflight { why: String, help: String },
    /// A rule of the sandbox or of policy prevents it.
    Refused { why: String, help: String },
    /// A signal ended it.
    Interrupted { signal: i32 },
    /// ralph itself failed.
    Bug { why: String },
}

impl Outcome {
    /// The documented exit code (`docs/exit-codes.md`).
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Done | Self::Drafted => 0,
            Self::Limit { .. } | Self::Stopped => 1,
            Self::Preflight { .. } => 2,
            Self::NeedsPerson { .. } => 3,
            Self::AgentUnusable { .. } => 4,
            Self::Workspace { .. } => 5,
            Self::Refused { .. } => 7,
            Self::Bug { .. } => 70,
            Self::Interrupted { signal } => u8::try_from(128 + signal).unwrap_or(130),
        }
    }

    /// The outcome as a sentence, without its exit code.
    pub fn describe(&self) -> String {
        match self {
            Self::Done => "everything is done".into(),
            Self::Drafted => "a plan was drafted".into(),
            Self::Limit { which } => format!("a limit was reached: {which}"),
            Self::Stopped => "stopped on request, with work left".into(),
            Self::NeedsPerson { why } => format!("a person is needed: {why}"),
            Self::AgentUnusable { why, .. } => format!("the agent cannot be used: {why}"),
            Self::Workspace { why, .. }
            | Self::Preflight { why, .. }
            | Self::Refused { why, .. } => why.clone(),
            Self::Interrupted { signal } => {
                format!("ended by signal {signal}; everything is saved")
            }
            Self::Bug { why } => format!("ralph itself failed: {why}"),
        }
    }

    /// The one of the two that a person must hear of first.
    #[must_use]
    pub fn graver(self, other: Self) -> Self {
        if other.rank() < self.rank() { other } else { self }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Interrupted { .. } => 0,
            Self::Bug { .. } => 1,
            Self::Refused { .. } => 2,
            Self::Workspace { .. } => 3,
            Self::AgentUnusable { .. } => 4,
            Self::Preflight { .. } => 5,
            Self::Limit { .. } | Self::Stopped => 6,
            Self::NeedsPerson { .. } => 7,
            Self::Done | Self::Drafted => 8,
        }
    }

    /// Whether `ralph resume` can continue from here.
    pub fn resumable(&self) -> bool {
        !matches!(self, Self::Done | Self::Drafted | Self::NeedsPerson { .. })
    }
}
