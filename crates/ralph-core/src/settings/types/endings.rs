//! `[endings]`: another policy than the built-in one for an agent's ending.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ending::Ending;

/// What follows when an agent's call ends in this way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// The same iteration again after a short pause, not charged, at most `limits.max_retries` in a row.
    Retry,
    /// The same iteration again once the limit is over, not charged.
    Wait,
    /// The same iteration again with the next agent of `agent.fallback`, not charged.
    Fallback,
    /// The task waits for a person; the run goes on with others.
    Park,
    /// The run ends.
    Stop,
}

/// Policies by ending; one that is not set is as documented in `docs/agents.md`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Endings {
    /// The allowance is used up. Built in: `fallback` where `agent.fallback` names one, else `wait`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage_limit: Option<Policy>,
    /// The provider could not serve the call, or was out of reach. Built in: `wait`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overloaded: Option<Policy>,
    /// Login or billing does not work. Built in: `stop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth_failed: Option<Policy>,
    /// The program is missing or refuses its command line. Built in: `stop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_found: Option<Policy>,
    /// It ended without finishing its turn. Built in: `retry`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crashed: Option<Policy>,
    /// Nothing came out. Built in: `retry`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub empty: Option<Policy>,
    /// What came out could not be read. Built in: `retry`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub malformed: Option<Policy>,
    /// The conversation no longer fits the model. Built in: once again with a smaller prompt, then judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_overflow: Option<Policy>,
    /// The model declined. Built in: judged and charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<Policy>,
    /// The hard time limit was reached. Built in: judged and charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timed_out: Option<Policy>,
    /// Silent for too long. Built in: judged and charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stalled: Option<Policy>,
    /// The agent's own limit of turns. Built in: judged and charged.
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
