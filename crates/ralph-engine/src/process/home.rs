//! Tells the processes of a run from those of an equally named run elsewhere on this machine.

use std::{fmt, fs, io, os::unix::fs::MetadataExt as _, path::Path};

/// Where a run lives: its folder as the kernel knows it. Run names come from the clock, and a copy of a repository has
/// the same ones; two folders are never the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Home {
    device: u64,
    number: u64,
}

impl Home {
    pub fn of(folder: &Path) -> io::Result<Self> {
        let found = fs::metadata(folder)?;
        Ok(Self { device: found.dev(), number: found.ino() })
    }
}

impl fmt::Display for Home {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}-{:x}", self.device, self.number)
    }
}
