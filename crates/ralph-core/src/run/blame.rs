//! The record of the agents' calls, from which `decide` tells whether a task or its agent is to blame. Decides nothing.

use serde::{Deserialize, Serialize};

use crate::{ids::TaskId, vocabulary::Kind};

/// How the agents' calls went since the run was started or resumed. A reviewer that fails is no excuse for whoever does
/// the work, and the other way round.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Blame {
    pub work: CallRecord,
    pub reviews: CallRecord,
}

/// How the calls of one sort went.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CallRecord {
    /// A call left something that was judged.
    pub has_worked: bool,
    /// The task that was parked because its calls kept failing, until another call is judged.
    pub failed_on: Option<TaskId>,
}

impl Blame {
    pub fn of(&self, kind: Kind) -> &CallRecord {
        match kind {
            Kind::Review => &self.reviews,
            _ => &self.work,
        }
    }

    pub fn of_mut(&mut self, kind: Kind) -> &mut CallRecord {
        match kind {
            Kind::Review => &mut self.reviews,
            _ => &mut self.work,
        }
    }
}
