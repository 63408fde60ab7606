//! What proves that a criterion is met, bound to the tree that was judged.

use serde::{Deserialize, Serialize};

use crate::ids::TreeId;

/// The record that one acceptance criterion ends with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The criterion in the plan's words.
    pub criterion: String,
    /// How it was judged.
    pub by: Judged,
    /// The tree that was judged: the one that was committed.
    pub tree: TreeId,
}

/// How a criterion was judged, and the proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "judge", rename_all = "snake_case")]
pub enum Judged {
    /// ralph ran the criterion's own check.
    Check { command: String, exit_code: i32, log: String },
    /// Nobody judged it: review is off. Labelled wherever a result is shown.
    Unreviewed,
}

/// Something weaker than full proof, named wherever the result is shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "label", rename_all = "snake_case")]
pub enum Label {
    /// A hard gate was red before and is still red, with no new failure.
    RedBaseline { gate: String },
    /// A hard gate failed once and passed when run again.
    Flaky { gate: String },
    /// Criteria that no check covers and no reviewer saw.
    Unreviewed { criteria: u32 },
    /// Neither gates nor checks nor review: only the agent's word.
    Unverified,
}

impl Label {
    /// The label in words.
    pub fn describe(&self) -> String {
        match self {
            Self::RedBaseline { gate } => format!("gate {gate} was red before and still is"),
            Self::Flaky { gate } => format!("gate {gate} failed once, then passed"),
            Self::Unreviewed { criteria: 1 } => "1 criterion unreviewed".into(),
            Self::Unreviewed { criteria } => format!("{criteria} criteria unreviewed"),
            Self::Unverified => "unverified".into(),
        }
    }
}
