//! What a loop is told at its start: what it works on, how much, and the times of its lease. Holds nothing that changes.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What a loop is told at its start and never again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoopSpec {
    /// The repository's address, as a worker reaches it.
    pub repo: String,
    /// The run branch; its loop is the only one that works on it.
    pub branch: String,
    pub tenant: String,
    /// Whose subscription or key pays; hands of this account alone work on it.
    pub account: String,
    /// Tells this submission of the branch from every other, whatever server it was made to.
    #[serde(default)]
    pub submission: String,
    #[serde(default)]
    pub limits: Limits,
    #[serde(default)]
    pub times: Times,
}

/// How much a stint and a history may hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Iterations after which a stint hands over.
    pub iterations_per_stint: u32,
    /// Minutes after which it hands over at the next boundary.
    pub minutes_per_stint: u32,
    /// Events after which the loop continues as a new one.
    pub history_events: u32,
    /// Stints in a row without a report, then a person must look.
    pub failures_in_a_row: u32,
    /// The budget of the tenant this loop draws from; none asks nobody.
    pub budget: Option<String>,
    /// What a stint asks of that budget.
    pub money_per_stint_micro_usd: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            iterations_per_stint: 10,
            minutes_per_stint: 30,
            history_events: 2_000,
            failures_in_a_row: 5,
            budget: None,
            money_per_stint_micro_usd: 20_000_000,
        }
    }
}

/// The times of the lease protocol, in milliseconds. `grace >= look + kill` and `grace >= silence + kill`, or two agents
/// could work at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Times {
    /// H: a stint that says nothing for so long is given up.
    pub heartbeat_ms: u64,
    /// P: out of touch with the server, the lease is looked at this often.
    pub look_ms: u64,
    /// D: out of touch with server and remote for so long, the agent is ended.
    pub silence_ms: u64,
    /// K: what it takes to end an agent.
    pub kill_ms: u64,
    /// G: what a takeover waits for a holder that may still be alive.
    pub grace_ms: u64,
    /// A longer wait gives the slot back.
    pub longest_wait_ms: u64,
}

/// No takeover waits longer for a holder, whatever its lease says; so no loop's times may ask for more.
pub const LONGEST_GRACE: Duration = Duration::from_hours(1);

impl Times {
    /// How often a holder looks at its lease although its server is content with it.
    pub fn look_in_touch(&self) -> Duration {
        Duration::from_millis(self.heartbeat_ms.saturating_mul(5))
    }

    /// How long such a holder lives on after its lease has become somebody else's.
    pub fn noticed_within(&self) -> Duration {
        let ending = Duration::from_millis(self.look_ms.saturating_add(self.kill_ms));
        self.look_in_touch().saturating_add(ending)
    }
}

impl Default for Times {
    fn default() -> Self {
        Self {
            heartbeat_ms: 60_000,
            look_ms: 15_000,
            silence_ms: 30_000,
            kill_ms: 10_000,
            grace_ms: 45_000,
            longest_wait_ms: 60_000,
        }
    }
}
