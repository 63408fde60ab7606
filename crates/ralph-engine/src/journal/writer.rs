//! Appends decisions and returns only when they are on disk.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use nix::fcntl::OFlag;
use ralph_core::event::Decision;

use super::{JournalError, line};
use crate::{atomic_write, safe_files};

/// The open end of a journal. Only the holder of the lock may have one.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    file: File,
    length: u64,
    /// An append failed: nothing more may follow, for what is behind the sound part is not known.
    is_spoilt: bool,
}

impl Writer {
    /// A new journal in a folder of its own, which must not hold one yet.
    pub fn create(path: &Path) -> Result<Self, JournalError> {
        let error = |source| JournalError::Io { path: path.to_owned(), source };
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(error)?;
        let file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .mode(0o600)
            .open(path)
            .map_err(error)?;
        file.sync_all().map_err(error)?;
        for folder in folder.ancestors().take(3) {
            atomic_write::sync_folder(folder).map_err(error)?;
        }
        Ok(Self { path: path.to_owned(), file, length: 0, is_spoilt: false })
    }

    /// Goes on with a journal whose sound part ends at `length`; what lies behind is kept beside it.
    pub fn reopen(path: &Path, length: u64) -> Result<Self, JournalError> {
        let error = |source| JournalError::Io { path: path.to_owned(), source };
        let on_disk = fs::metadata(path).map_err(error)?.len();
        if on_disk > length {
            keep_torn_tail(path, length).map_err(error)?;
        }
        let no_link = OFlag::O_NOFOLLOW.bits();
        let file =
            OpenOptions::new().append(true).custom_flags(no_link).open(path).map_err(error)?;
        if on_disk > length {
            file.set_len(length).map_err(error)?;
            file.sync_all().map_err(error)?;
        }
        Ok(Self { path: path.to_owned(), file, length, is_spoilt: false })
    }

    /// Writes one decision as one line and waits until it is on disk.
    pub fn append(&mut self, decision: &Decision) -> Result<(), JournalError> {
        let error = |source| JournalError::Io { path: self.path.clone(), source };
        let line = line::seal(decision).map_err(|e| error(io::Error::other(e)))?;
        if self.is_spoilt {
            return Err(error(io::Error::other("an earlier decision could not be written")));
        }
        if let Err(source) = self.file.write_all(&line).and_then(|()| self.file.sync_data()) {
            self.is_spoilt = true;
            // Half a line would be cut off at the next start; without it there is nothing to explain.
            let _ = self.file.set_len(self.length);
            return Err(error(source));
        }
        self.length += line.len() as u64;
        Ok(())
    }

    /// Bytes of sound decisions.
    pub fn length(&self) -> u64 {
        self.length
    }
}

/// A torn tail may still help a person; it is copied aside before it is cut.
fn keep_torn_tail(path: &Path, length: u64) -> io::Result<()> {
    let whole = fs::read(path)?;
    let start = usize::try_from(length).unwrap_or(usize::MAX);
    let folder = path.parent().unwrap_or(Path::new("."));
    let torn = path.with_extension(format!("torn-{length}"));
    safe_files::replace(folder, &torn, whole.get(start..).unwrap_or_default())
}
