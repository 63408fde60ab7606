//! An index in which `.ralph` is overlooked: gates see nothing of it, and git inside must not take it for deleted.

use std::path::Path;

use super::{
    error::GitError,
    files::{RelPath, join_nul},
    index::copy_index,
    repository::Repository,
};

impl Repository {
    /// Has git overlook these paths in an index.
    pub(crate) fn overlook(&self, paths: &[RelPath], index: &Path) -> Result<(), GitError> {
        if paths.is_empty() {
            return Ok(());
        }
        let call = self.git.call(&["update-index", "-z", "--skip-worktree", "--stdin"]);
        call.index(index).stdin(join_nul(paths)).ok().map(drop)
    }

    /// Writes a copy of the index in which `.ralph` is overlooked; false where it holds nothing of that.
    pub fn overlooking_ralphs(&self, copy: &Path) -> Result<bool, GitError> {
        let index = self.git_dir().join("index");
        let call = self.git.call(&["ls-files", "-z", "--cached", "--", ".ralph"]);
        let paths: Vec<RelPath> = call.reads().paths()?;
        if paths.is_empty() {
            return Ok(false);
        }
        copy_index(&index, copy)?;
        self.overlook(&paths, copy)?;
        Ok(true)
    }
}
