//! The stages of an iteration.

use serde::{Deserialize, Serialize};

/// Which effect of an iteration comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Bring parked work back first.
    Reapply,
    Checkpoint,
    Agent,
    Capture,
    Gates,
    Commit,
    Scm,
    Quarantine,
    GiveUp,
    /// Keep the work on a branch until a person has answered.
    Park,
}
