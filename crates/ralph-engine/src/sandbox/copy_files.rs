//! The files that copies for boxes are made of, and where they lie.
//!
//! Another box of the same repository may be made at the same time: a file is replaced whole or not at all.

use std::{
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
};

use ralph_text::fingerprint::digest;

use super::profile::Mount;
use crate::atomic_write::{self, Access, UNFINISHED};

/// The copy of what is seen of `/etc`.
pub(super) const ETC: &str = "etc";
/// What copies of a git folder and of package managers' settings are called, before the name of their place.
pub(super) const GIT: &str = "git-";
pub(super) const TOML: &str = "toml-";
pub(super) const LINES: &str = "lines-";

/// Shows a copy of settings in their place.
pub(super) fn of_settings(file: PathBuf, own: &Path) -> Mount {
    let is_toml = file.extension().is_some_and(|it| it == "toml") || file.ends_with("config");
    let kind = if is_toml { TOML } else { LINES };
    Mount::Shown { from: named(kind, &file, own), at: file }
}

/// Where the copy of a git folder is.
pub(super) fn of_git(folder: &Path, own: &Path) -> PathBuf {
    named(GIT, folder, own)
}

fn named(kind: &str, place: &Path, own: &Path) -> PathBuf {
    let name = digest(&[place.as_os_str().as_encoded_bytes()]);
    own.join(format!("{kind}{}", &name[..16]))
}

/// Makes a file say this, all at once, unless it does.
pub(super) fn file(path: &Path, text: &[u8]) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok_and(|facts| facts.is_file())
        && fs::read(path).is_ok_and(|old| old == text)
    {
        return Ok(());
    }
    clear(path)?;
    atomic_write::replace_unsynced(path, text, Access::Shared)
}

/// Makes a folder, in the place of whatever else is there.
pub(super) fn folder(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok_and(|facts| !facts.is_dir()) {
        fs::remove_file(path)?;
    }
    fs::create_dir_all(path)
}

/// Removes what is in a folder and not among these names.
pub(super) fn keep_only(folder: &Path, names: &[&OsStr]) -> io::Result<()> {
    for entry in fs::read_dir(folder)?.flatten() {
        // Another box of the same repository may be about to write it.
        let is_unfinished = entry.file_name().as_encoded_bytes().starts_with(UNFINISHED.as_bytes());
        if !is_unfinished && !names.contains(&&*entry.file_name()) {
            clear(&entry.path())?;
            fs::remove_file(entry.path()).or_else(gone)?;
        }
    }
    Ok(())
}

/// Removes a folder; anything else can be replaced by what comes.
pub(super) fn clear(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(facts) if facts.is_dir() => fs::remove_dir_all(path).or_else(gone),
        _ => Ok(()),
    }
}

pub(super) fn gone(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}
