//! What is said to accounts and budgets. Amounts are millionths of a dollar.

use serde::{Deserialize, Serialize};

/// Holds a queue back, or lets it go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrakeOrder {
    pub queue: String,
    pub is_on: bool,
}

/// A stint asks its tenant's budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantAsk {
    /// The loop's id.
    pub key: String,
    /// Its submission: each counts its stints anew.
    #[serde(default)]
    pub submission: String,
    pub stint: u32,
    pub wanted_micro_usd: u64,
}

/// What a stint cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settlement {
    pub key: String,
    #[serde(default)]
    pub submission: String,
    pub stint: u32,
    pub spent_micro_usd: u64,
    /// What the run has cost with it; nothing from workers that do not say so yet.
    #[serde(default)]
    pub total_micro_usd: u64,
}
