//! `[endings]`: another policy than the built-in one for an agent's ending.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ending::Ending;

/// What follows when an agent's call ends in this way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// Repeat the iteration after a short pause, uncharged, at most `limits.max_retries` times in a row.
    Retry,
    /// Repeat the iteration once the limit is over, uncharged.
    Wait,
    /// Repeat the iteration with the next agent of `agent.fallback`, uncharged.
    Fallback,
    /// The task waits for a person; the run continues with others.
    Park,
    /// The run ends.
    Stop,
}

/// Policies by ending; the defaults are documented in `docs/agents.md`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Endings {
    /// The usage limit is reached. Default: `fallback` if `agent.fallback` names an agent, otherwise `wait`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage_limit: Option<Policy>,
    /// The provider could not serve the call or was unreachable. Default: `wait`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overloaded: Option<Policy>,
    /// Login or billing failed. Default: `stop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth_failed: Option<Policy>,
    /// The program is missing or rejects its arguments. Default: `stop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_found: Option<Policy>,
    /// The agent exited without finishing its turn. Default: `retry`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crashed: Option<Policy>,
    /// The agent printed nothing. Default: `retry`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub empty: Option<Policy>,
    /// The agent's output could not be read. Default: `retry`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub malformed: Option<Policy>,
    /// The conversation no longer fits the model. Default: one retry with a smaller prompt, then judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_overflow: Option<Policy>,
    /// The model declined. Default: judged and charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<Policy>,
    /// The hard time limit was reached. Default: judged and charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timed_out: Option<Policy>,
    /// The agent was silent for too long. Default: judged and charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stalled: Option<Policy>,
    /// The agent reached its own turn limit. Default: judged and charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<Policy>,
}

impl Endings {
    /// The policy that is asked for, if one is.
    pub fn policy(&self, ending: &Ending) -> Option<Policy> {
        match ending {
            Ending::UsageLimit { .. } => self.usage_limit,
            Ending::Overloaded { .. } => self.overloaded,
            Ending::AuthFailed { .. } => self.auth_failed,
            Ending::NotFound { .. } => self.not_found,
            Ending::Crashed { .. } => self.crashed,
            Ending::Empty => self.empty,
            Ending::Malformed { .. } => self.malformed,
            Ending::ContextOverflow => self.context_overflow,
            Ending::Refused { .. } => self.refused,
            Ending::TimedOut => self.timed_out,
            Ending::Stalled => self.stalled,
            Ending::MaxTurns => self.max_turns,
            // Work that is there is judged, a question waits for its answer, and a stop is obeyed.
            Ending::Ok
            | Ending::Budget
            | Ending::StructuredOutputMissing
            | Ending::AskedQuestion { .. }
            | Ending::Interrupted => None,
        }
    }
}
