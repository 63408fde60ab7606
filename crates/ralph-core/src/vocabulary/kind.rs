//! Kinds of iterations.

use serde::{Deserialize, Serialize};

use super::stage::Stage;

/// What an iteration is for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Work on a task of the plan.
    #[default]
    Implement,
    /// Work on an ad-hoc prompt.
    Prompt,
    /// Work on what a review asked for.
    Fix,
    /// A fresh agent judges accepted work.
    Review,
    /// Parked work that a person approved is applied; no agent is called.
    Apply,
    /// A planner drafts a plan; nothing that it changes survives.
    Plan,
    /// What earlier iterations left is compacted into memory; not counted as an iteration.
    Compact,
}

impl Kind {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Implement => "implement",
            Self::Prompt => "prompt",
            Self::Fix => "fix",
            Self::Review => "review",
            Self::Apply => "apply",
            Self::Plan => "plan",
            Self::Compact => "compact",
        }
    }

    /// What an iteration begins with: a planner leaves the worktree alone, so there is nothing to go back to.
    pub(crate) fn first_stage(self) -> Stage {
        match self {
            Self::Plan => Stage::Agent,
            _ => Stage::Checkpoint,
        }
    }
}
