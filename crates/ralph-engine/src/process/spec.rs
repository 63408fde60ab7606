//! What to run and how tightly to hold it. Data only; never starts anything.

use std::{
    ffi::OsString,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use ralph_core::ids::RunId;
use serde::{Deserialize, Serialize};

use crate::fence::Wrapping;

/// Names the run in the environment of everything it starts.
pub const RUN_MARKER: &str = "RALPH_RUN_ID";

/// Names one supervised process tree and the run it belongs to, so that leftovers can be found again.
pub(super) const TREE_MARKER: &str = "RALPH_TREE_ID";

/// One process to run under supervision.
#[derive(Debug, Clone)]
pub struct ProcessSpec {
    /// A path, or a name that is looked up in `PATH` of `env`.
    pub program: OsString,
    pub args: Vec<OsString>,
    /// The complete environment; only ralph's markers are added.
    pub env: Vec<(OsString, OsString)>,
    pub cwd: PathBuf,
    /// Written to the process, then its input is closed.
    pub stdin: Vec<u8>,
    /// Deliver both streams as one, in the order they were written.
    pub merge_stderr: bool,
    pub run: RunId,
    /// The box it runs in, if any.
    pub enclosed: Option<Enclosed>,
}

impl ProcessSpec {
    /// A process outside every sandbox, as [`crate::outside::Outside`] gives its command.
    pub(crate) fn outside(command: &Command, run: RunId) -> Self {
        let set = command.get_envs().filter_map(|(name, value)| Some((name.into(), value?.into())));
        Self {
            program: command.get_program().into(),
            args: command.get_args().map(OsString::from).collect(),
            env: set.collect(),
            cwd: command.get_current_dir().unwrap_or(Path::new("/")).to_owned(),
            stdin: Vec::new(),
            merge_stderr: true,
            run,
            enclosed: None,
        }
    }
}

/// A process's box.
#[derive(Debug, Clone)]
pub struct Enclosed {
    pub wrapping: Wrapping,
    /// Left open for the shim, to hand out the box's listener.
    pub door: Option<Arc<OwnedFd>>,
}

/// How a process tree is kept together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Containment {
    /// A PID namespace where ralph's privileges allow one as it is, else [`Self::Group`].
    #[default]
    Auto,
    /// Like `Auto`, and without privileges a PID namespace inside a user namespace with the same
    /// user and group. There every file of another user looks as if `nobody` owned it: setuid
    /// programs (`sudo`, `newuidmap`) do not work and `ssh` refuses included system settings.
    UserNamespace,
    /// Process group, subreaper and a walk over `/proc`; no namespace.
    Group,
    /// Somebody else made the namespace and ralph's shim is its process 1.
    Enclosed,
}
