//! Brings one file or link out of a layer into the worktree, and says which ones are too large for that.
//!
//! Never follows a link, neither in the layer nor in the worktree.

use std::{
    fs::{self, OpenOptions, Permissions},
    io,
    os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
};

use nix::libc;

use super::layer::{Entry, Kind, Layer, split};
use crate::beneath::Folder;

/// So many bytes are brought over after one call. More is nobody's work, and nobody could stop ralph meanwhile.
const MOST: u64 = 1 << 30;

/// What is left of that.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Allowance(u64);

impl Default for Allowance {
    fn default() -> Self {
        Self(MOST)
    }
}

impl Allowance {
    /// Why a file is not brought over, if it is too large. Its writer may have made one that only claims to be.
    pub(super) fn refuse(
        &mut self,
        entry: &Entry,
        layer: &Layer,
        root: &Folder,
    ) -> io::Result<Option<&'static str>> {
        if entry.kind != Kind::File {
            return Ok(None);
        }
        let (from, name) = layer.place(&entry.path)?;
        let length = fs::symlink_metadata(from.at(name))?.len();
        let space = rustix::fs::statvfs(root.path())?;
        if length > space.f_bavail.saturating_mul(space.f_frsize) {
            return Ok(Some("larger than what is left of the disk"));
        }
        let Some(rest) = self.0.checked_sub(length) else {
            return Ok(Some("too large: one call may add 1 GB at most"));
        };
        self.0 = rest;
        Ok(None)
    }
}

/// Writes a file or a link, whole or not at all. Files are new, whatever time their writer gave them: build tools must
/// not take them for what they built before.
pub(super) fn write(entry: &Entry, layer: &Layer, root: &Folder) -> io::Result<()> {
    let (from, name) = layer.place(&entry.path)?;
    let source = from.at(name);
    let to = root.made_below(split(&entry.path).0)?;
    let target = to.at(name);
    if entry.kind == Kind::Link {
        let leads_to = fs::read_link(&source)?;
        let made = tempfile::Builder::new()
            .prefix(".ralph-")
            .make_in(to.path(), |path| std::os::unix::fs::symlink(&leads_to, path))?;
        return made.into_temp_path().persist(&target).map_err(|failed| failed.error);
    }
    let mode = fs::symlink_metadata(&source)?.permissions().mode() & 0o777;
    if mode & 0o400 == 0 {
        fs::set_permissions(&source, Permissions::from_mode(mode | 0o600))?;
    }
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let mut file = OpenOptions::new().read(true).custom_flags(flags).open(&source)?;
    // As git would make it: runnable or not, and the user's mask for the rest.
    let wanted = Permissions::from_mode(if mode & 0o100 == 0 { 0o666 } else { 0o777 });
    let mut builder = tempfile::Builder::new();
    let mut copy = builder.prefix(".ralph-").permissions(wanted).tempfile_in(to.path())?;
    io::copy(&mut file, copy.as_file_mut())?;
    copy.persist(&target).map(drop).map_err(|failed| failed.error)
}
