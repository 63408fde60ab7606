//! What starting processes and seeing them through takes: the shim, the patience, the run they belong to.

use std::{path::PathBuf, time::Duration};

use super::{home::Home, spec::Containment};

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

/// This very program, even after its file was replaced by a newer one.
fn own_program() -> PathBuf {
    if cfg!(target_os = "linux") {
        return PathBuf::from("/proc/self/exe");
    }
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("ralph"))
}
