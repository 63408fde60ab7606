//! Whether two files are the same, as far as git could tell them apart.
//!
//! Never follows a link and never waits for a pipe.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _},
    os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
    path::Path,
};

use nix::libc;

/// So much of two files is compared at a time.
const AT_ONCE: usize = 1 << 16;

/// Whether two files say the same and both can be started, or neither.
pub(crate) fn same_file(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, mut other) = (open(one)?, open(other)?);
    let (a, b) = (one.metadata()?, other.metadata()?);
    let can_start = |it: &fs::Metadata| it.permissions().mode() & 0o100 != 0;
    if !a.is_file() || !b.is_file() || a.len() != b.len() || can_start(&a) != can_start(&b) {
        return Ok(false);
    }
    let (mut left, mut right) = (vec![0; AT_ONCE], vec![0; AT_ONCE]);
    loop {
        let count = one.read(&mut left)?;
        if count == 0 {
            return Ok(true);
        }
        other.read_exact(&mut right[..count])?;
        if left[..count] != right[..count] {
            return Ok(false);
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)
}
