//! What stands on disk where a file of a tree must come, and moving things out of the worktree by rename, without git. Must
//! never delete.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Write as _},
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use super::{
    error::GitError,
    files::{RelPath, folders_of, free_place, on_disk},
};
use crate::safe_files;

/// True if a folder on the way became a symbolic link, which git will not look behind.
pub(crate) fn is_behind_link(root: &Path, path: &[u8]) -> bool {
    folders_of(path).any(|folder| on_disk(root, folder).is_symlink())
}

/// What is no folder and stands where one of a path's folders must be.
fn file_on_the_way<'a>(root: &Path, path: &'a [u8]) -> Option<&'a [u8]> {
    let is_no_folder =
        |path: &&[u8]| fs::symlink_metadata(on_disk(root, path)).is_ok_and(|entry| !entry.is_dir());
    folders_of(path).find(is_no_folder)
}

/// What would have to go, as a whole, before the file `path` could be written: a file or link on the way, or a folder
/// with something in it.
pub(crate) fn blocker(root: &Path, path: &[u8]) -> Option<RelPath> {
    if let Some(file) = file_on_the_way(root, path) {
        return Some(file.to_vec());
    }
    let place = on_disk(root, path);
    let is_folder = fs::symlink_metadata(&place).is_ok_and(|entry| entry.is_dir());
    let is_empty = || fs::read_dir(&place).is_ok_and(|mut entries| entries.next().is_none());
    (is_folder && !is_empty()).then(|| path.to_vec())
}

/// What stands where the file `path` must come and is in no tree, such as an ignored folder.
pub(crate) fn in_the_way(
    root: &Path,
    path: &[u8],
    leaving: &BTreeSet<RelPath>,
) -> Result<Vec<RelPath>, GitError> {
    if let Some(file) = file_on_the_way(root, path) {
        return Ok(if leaving.contains(file) { Vec::new() } else { vec![file.to_vec()] });
    }
    match fs::symlink_metadata(on_disk(root, path)) {
        Ok(entry) if entry.is_dir() => files_staying(root, path, leaving),
        Ok(_) => Ok(vec![path.to_vec()]),
        Err(_) => Ok(Vec::new()),
    }
}

/// The files of a folder that git itself will not remove.
fn files_staying(
    root: &Path,
    folder: &[u8],
    leaving: &BTreeSet<RelPath>,
) -> Result<Vec<RelPath>, GitError> {
    let place = on_disk(root, folder);
    let fail = || GitError::io(format!("cannot read {}", place.display()));
    let mut staying = Vec::new();
    for entry in fs::read_dir(&place).map_err(fail())? {
        let entry = entry.map_err(fail())?;
        let path = [folder, b"/", entry.file_name().as_bytes()].concat();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            staying.extend(files_staying(root, &path, leaving)?);
        } else if !leaving.contains(&path) {
            staying.push(path);
        }
    }
    Ok(staying)
}

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

    /// Where everything is that was moved away, if anything was.
    pub(crate) fn note(&self) -> Option<String> {
        let mut files = fs::read_dir(&self.folder).ok()?;
        let folder = self.folder.display();
        files.next().map(|_| format!("files that had to make way during the run are in {folder}"))
    }

    /// Moves `path` away and tells where it is now.
    pub(crate) fn take(&self, path: &Path) -> Result<PathBuf, GitError> {
        self.rename(path).map_err(GitError::io(format!("cannot move {} away", path.display())))
    }

    /// The same, with the disk's own error.
    pub(crate) fn rename(&self, path: &Path) -> io::Result<PathBuf> {
        fs::create_dir_all(&self.folder)?;
        let target = self.free(path);
        match fs::rename(path, &target) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => beside(path),
            moved => moved.map(|()| target),
        }
    }
}

/// On a mount of its own a thing can only be renamed where it is: to a name that git does not look for.
fn beside(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = name.trim_matches('.');
    let target =
        free_place(|number| path.with_file_name(format!("ralph-set-aside-{number}-{name}")));
    fs::rename(path, &target).map(|()| target)
}
