//! How a process ended, and why ralph could not see it through.

use std::{error::Error, io, time::Duration};

use ralph_core::effect::How;

use super::listen::StopWhy;

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessEnd {
    Exited {
        code: i32,
    },
    Signalled {
        signal: i32,
    },
    /// It never ran: no such program, no such directory, arguments too long.
    NotStarted {
        detail: String,
    },
}

/// What is known of a process after its end.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Finished {
    pub end: ProcessEnd,
    /// The listener's first reason to end it, if it had one.
    pub stopped: Option<StopWhy>,
    /// The strongest request of a person that was obeyed.
    pub interrupted: Option<How>,
    /// Processes that outlived the agent and were ended for it.
    pub leftovers: u32,
    pub took: Duration,
    /// Whether it ran in a PID namespace of its own.
    pub contained: bool,
}

impl Finished {
    pub(super) fn not_started(detail: String) -> Self {
        Self {
            end: ProcessEnd::NotStarted { detail },
            stopped: None,
            interrupted: None,
            leftovers: 0,
            took: Duration::ZERO,
            contained: false,
        }
    }
}

/// Ralph could not do its own part. Whatever had been started is ended.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    #[error("cannot start the process shim {shim}")]
    Shim { shim: String, source: io::Error },
    #[error("cannot exchange data with a process")]
    Io(#[from] io::Error),
    #[error("cannot attend to requests while a process runs")]
    Attention(#[source] Box<dyn Error + Send + Sync>),
    #[error("a process does not end although it was killed")]
    Unkillable,
}
