//! Brings one file or link out of a layer into the worktree, and says which ones are too large for that.
//!
//! Never follows a link, neither in the layer nor in the worktree.

use std::{
    fs::{self, Permissions},
    io,
    os::unix::fs::PermissionsExt as _,
};

use super::{
    layer::{Entry, Kind, Layer, split},
    replace::{MakeWay, copy_into},
};
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

/// Writes a file or a link, whole or not at all; what lies in its place makes way.
pub(super) fn write(
    entry: &Entry,
    layer: &Layer,
    root: &Folder,
    way: &mut MakeWay<'_>,
) -> io::Result<()> {
    let (from, name) = layer.place(&entry.path)?;
    let source = from.at(name);
    let to = root.made_below(split(&entry.path).0)?;
    let mode = fs::symlink_metadata(&source)?.permissions().mode();
    if entry.kind == Kind::File && mode & 0o400 == 0 {
        fs::set_permissions(&source, Permissions::from_mode(mode & 0o777 | 0o600))?;
    }
    way.put(&entry.path, copy_into(&to.path(), &source)?, &to.at(name))
}
