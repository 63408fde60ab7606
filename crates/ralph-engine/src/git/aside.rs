//! Moving things out of the worktree by rename, without git. Must never delete.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use super::{error::GitError, files::free_place};
use crate::safe_files;

/// The folder that takes what had to leave the worktree.
#[derive(Debug, Clone)]
pub(crate) struct Aside {
    folder: PathBuf,
}

impl Aside {
    /// Keeps a copy of what a file held.
    pub(crate) fn keep(&self, path: &Path, text: &[u8]) -> Result<PathBuf, GitError> {
        let fail = || GitError::io(format!("cannot keep a copy of {}", path.display()));
        fs::create_dir_all(&self.folder).map_err(fail())?;
        let target = self.free(path);
        let base = self.folder.as_path();
        let mut file = safe_files::begin(base, &target).map_err(fail())?;
        file.write_all(text).map_err(fail())?;
        Ok(target)
    }

    /// A name that nothing has yet.
    fn free(&self, path: &Path) -> PathBuf {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        free_place(|number| self.folder.join(format!("{number:04}-{name}")))
    }

    /// `folder` must be on the worktree's file system.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Moves `path` away and tells where it is now.
    pub(crate) fn take(&self, path: &Path) -> Result<PathBuf, GitError> {
        let fail = || GitError::io(format!("cannot move {} away", path.display()));
        fs::create_dir_all(&self.folder).map_err(fail())?;
        let target = self.free(path);
        match fs::rename(path, &target) {
            Ok(()) => Ok(target),
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => beside(path),
            Err(error) => Err(fail()(error)),
        }
    }
}

/// On a mount of its own a thing can only be renamed where it is: to a name that git does not look for.
fn beside(path: &Path) -> Result<PathBuf, GitError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = name.trim_matches('.');
    let target =
        free_place(|number| path.with_file_name(format!("ralph-set-aside-{number}-{name}")));
    fs::rename(path, &target)
        .map_err(GitError::io(format!("cannot move {} away", path.display())))?;
    Ok(target)
}
