//! Why a run must not start.

use super::pin;
use crate::ids::TaskId;

/// Why a run must not start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Preflight {
    #[error("the plan has no tasks")]
    NoTasks,
    #[error("the plan has no task called {0}")]
    UnknownTask(TaskId),
    #[error(
        "nothing can verify the work: no hard gate, and not every task has a check or is reviewed"
    )]
    NothingToVerifyWith,
    #[error(transparent)]
    Gates(#[from] pin::PinError),
}

impl Preflight {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::NoTasks => {
                "ralph plan \"what you want\" drafts them, or work on a prompt: ralph run -p \"…\""
            }
            Self::UnknownTask(_) => "ralph status lists the tasks",
            Self::Gates(error) => error.help(),
            Self::NothingToVerifyWith => {
                "add a [[gate]] to .ralph/settings.toml, or a check to each task, or have tasks reviewed (--review), or start with --trust-agent (every result is then called unverified)"
            }
        }
    }
}
