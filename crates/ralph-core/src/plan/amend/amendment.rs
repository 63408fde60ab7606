//! What a proposal is, where it came from, and what became of it. All of it is journaled.

use serde::{Deserialize, Serialize};

use super::{Changes, PlanChanges};
use crate::{ids::TaskId, plan::Task};

/// One change to the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Amendment {
    /// A new task, at the end of the list.
    Add {
        task: Box<Task>,
        /// The task it should follow; it takes over that one's place in the order unless it has its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<TaskId>,
        reason: String,
    },
    /// Other words, criteria or needs for a task.
    Modify { id: TaskId, changes: Box<Changes>, reason: String },
    /// A task taken out, also from what others depend on.
    Remove { id: TaskId, reason: String },
    /// What holds for the plan as a whole.
    Plan { changes: Box<PlanChanges>, reason: String },
}

impl Amendment {
    /// Why it is wanted.
    pub fn reason(&self) -> &str {
        match self {
            Self::Add { reason, .. }
            | Self::Modify { reason, .. }
            | Self::Remove { reason, .. }
            | Self::Plan { reason, .. } => reason,
        }
    }

    /// The task it is about; none if it is about the plan as a whole.
    pub fn task(&self) -> Option<&TaskId> {
        match self {
            Self::Add { task, .. } => Some(&task.id),
            Self::Modify { id, .. } | Self::Remove { id, .. } => Some(id),
            Self::Plan { .. } => None,
        }
    }

    /// Whether both would make the same change, whatever reasons they give.
    pub fn same_change(&self, other: &Self) -> bool {
        let mut same = other.clone();
        let (Self::Add { reason, .. }
        | Self::Modify { reason, .. }
        | Self::Remove { reason, .. }
        | Self::Plan { reason, .. }) = &mut same;
        self.reason().clone_into(reason);
        *self == same
    }

    /// A few words for people: `modify T-003 (description, order)`.
    pub fn headline(&self) -> String {
        match self {
            Self::Add { task, .. } => format!("add {}: {}", task.id, task.title),
            Self::Modify { id, changes, .. } => {
                format!("modify {id} ({})", changes.names().join(", "))
            }
            Self::Remove { id, .. } => format!("remove {id}"),
            Self::Plan { changes, .. } => {
                format!("change the plan ({})", changes.names().join(", "))
            }
        }
    }
}

/// How a proposal reached ralph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    Handoff,
    PlanFile,
}

/// A change that somebody wants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    pub from: Source,
    pub amendment: Amendment,
}

/// What became of a proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ruling", rename_all = "snake_case")]
#[must_use]
pub enum Ruling {
    Applied,
    /// A person decides.
    Waits {
        why: String,
    },
    /// The next iteration is told.
    Refused {
        why: String,
    },
}

/// A proposal with its ruling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ruled {
    pub proposal: Proposal,
    #[serde(flatten)]
    pub ruling: Ruling,
}
