//! Runs one process from start to end: hears it, obeys, and returns only when its tree is gone.
//! Decides nothing itself: the listener and people's requests do.

use std::{error::Error, io, path::PathBuf, time::Duration};

use ralph_core::effect::How;

use super::{
    home::Home,
    launch::{Launch, launch},
    listen::{Attention, Listener, StopWhy},
    pump::Pump,
    spec::{Containment, ProcessSpec},
};

/// Starts processes through the shim and sees them through.
#[derive(Debug, Clone)]
pub struct Supervisor {
    /// The program that understands `__shim`: ralph itself.
    pub shim: PathBuf,
    pub containment: Containment,
    pub graces: Graces,
    /// Where the run lives whose processes it starts.
    pub home: Home,
}

/// How long to wait before the next, less polite step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Graces {
    /// Between asking and killing when a person asked.
    pub request: Duration,
    /// Between asking and killing when the listener asked.
    pub timeout: Duration,
    /// For leaving unasked after the work was done.
    pub linger: Duration,
    /// For output that someone outside the tree keeps open.
    pub drain: Duration,
    /// For killed processes to be gone before ralph gives up on them.
    pub kill: Duration,
}

impl Default for Graces {
    fn default() -> Self {
        Self {
            request: Duration::from_secs(8),
            timeout: Duration::from_secs(5),
            linger: Duration::from_secs(3),
            drain: Duration::from_secs(2),
            kill: Duration::from_secs(10),
        }
    }
}

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

impl Default for Supervisor {
    fn default() -> Self {
        Self {
            shim: own_program(),
            containment: Containment::Auto,
            graces: Graces::default(),
            home: Home::default(),
        }
    }
}

impl Supervisor {
    /// Runs `spec` until its whole tree is gone and its output is drained.
    ///
    /// One thread, constant memory, whatever the process writes. When this returns an error, the
    /// shim has been told to end the tree.
    pub fn supervise(
        &self,
        spec: &ProcessSpec,
        listener: &mut dyn Listener,
        attention: &mut dyn Attention,
    ) -> Result<Finished, ProcessError> {
        match launch(self, spec)? {
            Launch::Refused(detail) => Ok(Finished::not_started(detail)),
            Launch::Running(running) => {
                Pump::new(running, &spec.stdin, self.graces).run(listener, attention)
            }
        }
    }
}

/// This very program, even after its file was replaced by a newer one.
fn own_program() -> PathBuf {
    if cfg!(target_os = "linux") {
        return PathBuf::from("/proc/self/exe");
    }
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("ralph"))
}
