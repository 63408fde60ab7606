//! `[limits]` and `[timeouts]`: what makes runs, agents and gates end.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{settings::Length, time::Millis};

/// Limits that end a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Maximum iterations of a run; 0 derives it from the plan.
    pub max_iterations: u32,
    /// Maximum rejected attempts on a task since its last accepted one.
    pub max_attempts: u32,
    /// Maximum retries of a failed call (crash, empty, malformed) before its task is parked; a second such task in a row
    /// ends the run.
    pub max_retries: u32,
    /// Maximum uncharged failures in a run; waiting for a provider's outage does not count.
    pub max_uncharged: u32,
    /// Number of tasks that may fail in a row before the run ends.
    pub max_failed_in_a_row: u32,
    /// Maximum cost of a run; 0 means no limit.
    pub max_cost_usd: f64,
    /// Maximum tokens for a run; 0 means no limit.
    pub max_tokens: u64,
    /// Maximum cost of a task; 0 means no limit.
    pub max_task_cost_usd: f64,
    /// Maximum tokens for a task; 0 means no limit.
    pub max_task_tokens: u64,
    /// Maximum agent time for a task; 0s means no limit.
    pub max_task_duration: Length,
    /// Maximum working time of a run, with a warning at 75%; 0s means no limit.
    pub max_duration: Length,
    /// Maximum wait for a usage limit to reset or a provider's outage to end.
    pub max_wait: Length,
    /// Pause between iterations.
    pub min_delay: Length,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_iterations: 0,
            max_attempts: 5,
            max_retries: 3,
            max_uncharged: 50,
            max_failed_in_a_row: 3,
            max_cost_usd: 0.0,
            max_tokens: 0,
            max_task_cost_usd: 0.0,
            max_task_tokens: 0,
            max_task_duration: Length::default(),
            max_duration: Length::default(),
            max_wait: Length(Millis::secs(6 * 3600)),
            min_delay: Length::default(),
        }
    }
}

/// A warning and a hard end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timeout {
    /// Show a warning after this time.
    pub soft: Length,
    /// End it after this time.
    pub hard: Length,
}

impl Timeout {
    const fn minutes(soft: u64, hard: u64) -> Self {
        Self { soft: Length(Millis::secs(soft * 60)), hard: Length(Millis::secs(hard * 60)) }
    }
}

/// How long agents and gates may take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Timeouts {
    /// Implement, fix and prompt iterations.
    pub implement: Timeout,
    /// Review iterations.
    pub review: Timeout,
    /// One gate.
    pub gate: Timeout,
    /// End the agent after this long without output or an open tool call.
    pub idle: Length,
    /// Factor for all of the above.
    pub multiplier: f64,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            implement: Timeout::minutes(20, 60),
            review: Timeout::minutes(10, 20),
            gate: Timeout::minutes(5, 10),
            idle: Length(Millis::secs(600)),
            multiplier: 1.0,
        }
    }
}
