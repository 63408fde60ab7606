//! Moving things out of the worktree by rename, without git. Must never delete.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::error::GitError;

/// The folder that takes what had to leave the worktree.
#[derive(Debug, Clone)]
pub(crate) struct Aside {
    folder: PathBuf,
}

impl Aside {
    /// `folder` must be on the worktree's file system.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Moves `path` away and tells where it is now.
    pub(crate) fn take(&self, path: &Path) -> Result<PathBuf, GitError> {
        let fail = || GitError::io(format!("cannot move {} away", path.display()));
        fs::create_dir_all(&self.folder).map_err(fail())?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for number in 1_u32.. {
            let target = self.folder.join(format!("{number:04}-{name}"));
            if fs::symlink_metadata(&target).is_ok() {
                continue;
            }
            return match fs::rename(path, &target) {
                Ok(()) => Ok(target),
                Err(error) if error.kind() == io::ErrorKind::CrossesDevices => beside(path),
                Err(error) => Err(fail()(error)),
            };
        }
        Err(fail()(io::ErrorKind::AlreadyExists.into()))
    }
}

/// On a mount of its own a thing can only be renamed where it is: to a name that git does not look for.
fn beside(path: &Path) -> Result<PathBuf, GitError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let named = |number: u32| {
        path.with_file_name(format!("ralph-set-aside-{number}-{}", name.trim_matches('.')))
    };
    let is_free = |target: &PathBuf| fs::symlink_metadata(target).is_err();
    let target = (1..10_000).map(named).find(is_free).unwrap_or_else(|| named(10_000));
    fs::rename(path, &target)
        .map_err(GitError::io(format!("cannot move {} away", path.display())))?;
    Ok(target)
}
