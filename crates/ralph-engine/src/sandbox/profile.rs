//! What a process in the box may see, write and reach: data for the backends. Decides nothing.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::fence::Limits;

/// Where ralph's own program is seen inside.
pub const RALPH_INSIDE: &str = "/run/ralph/ralph";

/// Everything a backend needs to know about one box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// What is where, in this order: later ones cover earlier ones.
    pub mounts: Vec<Mount>,
    /// The folder that is worked in; writable.
    pub workspace: PathBuf,
    /// Where the user's home is; inside it holds only what the mounts put there.
    pub home: PathBuf,
    pub reach: Reach,
    /// Whether Unix sockets may be made.
    pub unix_sockets: bool,
    /// An empty folder, if folders that are shown are to be seen through a layer: the kernel then connects to no socket
    /// in them.
    pub veil: Option<PathBuf>,
    pub limits: Limits,
    /// The folders of its control group, which is entered before anything else; none where there is no group.
    pub groups: Vec<PathBuf>,
}

/// One part of what is seen inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mount {
    /// A path of the machine, to be read.
    Shown { from: PathBuf, at: PathBuf },
    /// A path of the machine, to be read and written.
    Lent { from: PathBuf, at: PathBuf },
    /// An empty folder that lives as long as the box.
    Empty { at: PathBuf },
    /// A symbolic link.
    Link { to: PathBuf, at: PathBuf },
    /// Folders of the machine as one, the first on top, to be read, with everything written going into another one.
    /// Where layers are refused, the other one alone will do if it is `spare`.
    Layered { below: Vec<PathBuf>, above: PathBuf, at: PathBuf, spare: bool },
}

impl Mount {
    /// A path to be read at its own place.
    pub fn shown(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self::Shown { from: path.clone(), at: path }
    }

    /// A path to be written at its own place.
    pub fn lent(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self::Lent { from: path.clone(), at: path }
    }

    /// The paths of the machine that it is about, or where nothing of the machine is to be seen.
    pub fn paths(&self) -> Vec<&PathBuf> {
        match self {
            Self::Shown { from, .. } | Self::Lent { from, .. } => vec![from],
            Self::Empty { at } | Self::Link { at, .. } => vec![at],
            Self::Layered { below, above, .. } => below.iter().chain([above]).collect(),
        }
    }

    /// The folder or file of the machine that is seen there once everything is laid.
    pub(super) fn source(&self) -> Option<&PathBuf> {
        match self {
            Self::Shown { from, .. } | Self::Lent { from, .. } => Some(from),
            Self::Layered { below, .. } => below.last(),
            Self::Empty { .. } | Self::Link { .. } => None,
        }
    }

    /// Where it is seen.
    pub fn at(&self) -> &PathBuf {
        match self {
            Self::Shown { at, .. }
            | Self::Lent { at, .. }
            | Self::Empty { at }
            | Self::Link { at, .. }
            | Self::Layered { at, .. } => at,
        }
    }

    /// Whether things can be changed there.
    pub fn is_writable(&self) -> bool {
        matches!(self, Self::Lent { .. } | Self::Empty { .. } | Self::Layered { .. })
    }
}

/// What can be reached over the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Nothing but what the process itself opens on loopback.
    Nowhere,
    /// The same, and ralph's gateway on this port of loopback.
    Gateway { port: u16 },
    /// Whatever the machine can reach.
    Anywhere,
}
