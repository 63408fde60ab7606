//! Whether work is reviewed, in one word.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a fresh agent reviews the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewMode {
    /// Every task of a plan.
    #[default]
    On,
    /// Only tasks with a criterion that no check covers.
    Auto,
    /// No task.
    Off,
}
