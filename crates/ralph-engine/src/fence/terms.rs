//! What a box asks of the shim: a command line around it, and what it takes from itself. Data only.

use std::{ffi::OsString, path::PathBuf};

use serde::{Deserialize, Serialize};

/// A command line around the shim.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wrapping {
    /// Program and arguments before the shim's own; empty starts the shim directly.
    pub before: Vec<OsString>,
    /// Where the shim's program is found by then, if not where it is now.
    pub shim: Option<PathBuf>,
    pub fence: Fence,
}

/// What ralph's shim takes from itself, and so from all that it starts, before it starts anything.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Fence {
    /// Opens a listener on this port of loopback and hands it out through the door.
    pub listen: Option<u16>,
    /// Nothing outside these paths may be changed; `None` leaves that to the mounts.
    pub writable: Option<Vec<PathBuf>>,
    /// System calls that no build needs are refused.
    pub seccomp: bool,
    pub unix_sockets: bool,
    pub limits: Option<Limits>,
}

/// Bounds on what one box may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Most processes and threads.
    pub processes: u64,
    /// Largest file, in bytes.
    pub file_bytes: u64,
    /// Most private memory of one process, in bytes.
    pub data_bytes: u64,
}
