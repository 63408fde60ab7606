//! What one rejected attempt leaves for the judgement. Facts only.

use serde::{Deserialize, Serialize};

use super::Gap;
use crate::ids::TreeId;

/// Most attempts of a task that are worth keeping; the judgement looks at fewer.
pub const MOST: usize = 12;

/// One rejected attempt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Trace {
    pub attempt: u32,
    /// Of its failure. Empty if there is none to compare, as when only the agent says that it is not finished:
    /// an empty one is like no other.
    pub fingerprint: String,
    /// Failing tests known by name, over all gates and checks; `None` if none are known.
    pub failing: Option<u32>,
    /// The tree it left; `None` if it left none.
    pub tree: Option<TreeId>,
    /// Whether it changed anything against where it started.
    pub changed: bool,
    /// What its failure says is missing.
    pub gap: Option<Gap>,
    /// Strategy shifts that were in force when it ran.
    pub shifts: u32,
    /// Change requests that the task had when it ran: what was before a later one is settled.
    pub reviews: u32,
}
