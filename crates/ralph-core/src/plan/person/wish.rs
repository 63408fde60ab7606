//! What a person wants of a task, in the form in which it reaches a run that goes on.

use serde::{Deserialize, Serialize};

use crate::{
    ids::TaskId,
    plan::{Task, amend::Changes},
};

/// One wish of a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "wish", rename_all = "snake_case")]
pub enum TaskWish {
    Add {
        task: Box<Task>,
    },
    Edit {
        id: TaskId,
        changes: Box<Changes>,
    },
    /// Leave it out: dependants need not wait for it any longer.
    Skip {
        id: TaskId,
        why: String,
    },
    /// Begin again from nothing.
    Retry {
        id: TaskId,
    },
    /// The work is good as it is.
    Approve {
        id: TaskId,
    },
    /// What the agent asked.
    Answer {
        id: TaskId,
        text: String,
    },
    /// Make the change that an agent proposed, by the number the run gave it.
    Accept {
        proposal: u32,
    },
    Decline {
        proposal: u32,
        why: String,
    },
}

impl TaskWish {
    /// The task it is about, if it names one.
    pub fn task(&self) -> Option<&TaskId> {
        match self {
            Self::Add { task } => Some(&task.id),
            Self::Edit { id, .. }
            | Self::Skip { id, .. }
            | Self::Retry { id }
            | Self::Approve { id }
            | Self::Answer { id, .. } => Some(id),
            Self::Accept { .. } | Self::Decline { .. } => None,
        }
    }

    /// `retry`, as on the command line.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Add { .. } => "add",
            Self::Edit { .. } => "edit",
            Self::Skip { .. } => "skip",
            Self::Retry { .. } => "retry",
            Self::Approve { .. } => "approve",
            Self::Answer { .. } => "answer",
            Self::Accept { .. } => "accept",
            Self::Decline { .. } => "decline",
        }
    }
}
