//! What stands on disk where a file of a tree must come. Only looks.

use std::{collections::BTreeSet, fs, os::unix::ffi::OsStrExt as _, path::Path};

use super::{
    error::GitError,
    files::{RelPath, folders_of, on_disk},
};

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
