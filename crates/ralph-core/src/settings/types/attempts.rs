//! `[attempts]`, `[escalation]` and `[plan]`: what happens when work is rejected, and what agents may change.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens to a rejected attempt's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnReject {
    /// Keep it in the tree and tell the agent what failed.
    #[default]
    Repair,
    /// Go back to the checkpoint.
    Restart,
}

/// Attempts on a task.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Attempts {
    /// `repair` keeps the work and tells the agent what failed, `restart` goes back to the checkpoint.
    pub on_reject: OnReject,
}

/// Agents that take over a task when another one is stuck on it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Escalation {
    /// Ladder of agents for a stuck task, each `agent` or `agent:model`, such as `claude:opus`.
    pub agents: Vec<String>,
}

/// A change of the plan that an agent can propose.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum MayAmend {
    Add,
    Modify,
    /// A removal waits for a person in any case.
    Remove,
}

/// What agents may do to the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PlanSettings {
    /// What agents may propose. A `remove`, and any change to criteria, checks, agent, model or limits, waits for a person.
    pub agents_may: Vec<MayAmend>,
}

impl Default for PlanSettings {
    fn default() -> Self {
        Self { agents_may: vec![MayAmend::Add, MayAmend::Modify] }
    }
}
