//! Which run is watched, and where it is.

use std::path::{Path, PathBuf};

use ralph_core::ids::RunId;
use ralph_engine::{journal::Lock, layout::Layout};

use crate::{diagnostics::CommandError, session::run_store::RunStore};

/// A run that is watched.
#[derive(Debug, Clone)]
pub(super) struct Watched {
    pub(super) folder: PathBuf,
    pub(super) layout: Layout,
    pub(super) run: RunId,
}

impl Watched {
    /// The named run of a folder's repository; without a name the one that works there, or the latest.
    pub(super) fn find(folder: &Path, name: Option<&str>) -> Result<Self, CommandError> {
        let store = RunStore::find(folder)?;
        let active = Lock::peek(&store.layout.lock()).and_then(|owner| owner.run);
        let run = match (name, active) {
            (None, Some(run)) => run,
            (name, _) => store.run(name)?,
        };
        Ok(Self { folder: folder.to_owned(), layout: store.layout, run })
    }
}
