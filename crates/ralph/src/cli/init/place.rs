//! Where `ralph init` is called, where it looks and where it writes: three folders in a linked worktree, two below a
//! repository's root.

use std::path::{Path, PathBuf};

use ralph_engine::git::Repository;

use crate::diagnostics::CommandError;

/// The folders of one `ralph init`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Where `.ralph` is: the main worktree, or the folder itself where there is no repository yet.
    pub(super) main: PathBuf,
    /// The root of the worktree that the caller is in.
    pub(super) worktree: PathBuf,
    pub(super) here: PathBuf,
}

impl Place {
    pub(super) fn find(folder: &Path) -> Result<Self, CommandError> {
        let here = folder.canonicalize().map_err(CommandError::file("read", folder))?;
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        Ok(match Repository::discover(&here) {
            Ok(found) => Self { main: real(found.main_root()), worktree: real(found.root()), here },
            Err(_) => Self { main: here.clone(), worktree: here.clone(), here },
        })
    }

    /// Where files are written, unless that is the folder of the call.
    pub(super) fn elsewhere(&self) -> Option<&Path> {
        (self.main != self.here).then_some(self.main.as_path())
    }

    /// What to know where the folder of the call is not the one that is written to.
    pub(super) fn words(&self) -> Option<String> {
        let main = self.main.display();
        if self.main != self.worktree {
            return Some(format!(
                "this is a linked worktree: settings and plan are shared by all worktrees, in {main}/.ralph"
            ));
        }
        let is_inside = self.main != self.here;
        is_inside
            .then(|| format!("settings and plan are for the whole repository, in {main}/.ralph"))
    }
}
