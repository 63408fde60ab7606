//! The lock: one loop per repository. The kernel frees it when its owner dies; the file says who that was.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read, Seek, Write},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use nix::fcntl::OFlag;
use ralph_core::{ids::RunId, time::Timestamp};
use serde::{Deserialize, Serialize};

use crate::safe_files;

/// Who holds, or held, the lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    pub pid: u32,
    pub host: String,
    pub run: Option<RunId>,
    pub since: Timestamp,
}

/// Why the lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("another ralph is running here{}", owner.as_ref().map(describe).unwrap_or_default())]
    Held { owner: Option<Owner> },
    #[error("the lock belongs to a run on another machine ({})", owner.host)]
    OtherHost { owner: Owner },
    #[error("cannot use the lock: {0}")]
    Io(#[from] io::Error),
}

fn describe(owner: &Owner) -> String {
    let run = owner.run.as_ref().map(|run| format!(", run {run}")).unwrap_or_default();
    format!(" (pid {}{run}, since {})", owner.pid, owner.since)
}

/// Held as long as this value lives.
#[derive(Debug)]
pub struct Lock {
    file: File,
    owner: Owner,
    /// A dead owner whose leftovers must be ended first.
    pub predecessor: Option<Owner>,
}

impl Lock {
    /// Takes the lock, over a dead owner if need be.
    pub fn take(path: &Path, now: Timestamp) -> Result<Self, LockError> {
        if let Some(folder) = path.parent() {
            safe_files::folder(folder.parent().unwrap_or(folder), folder)?;
        }
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(OFlag::O_NOFOLLOW.bits())
            .open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(LockError::Held { owner: holder(&mut file) });
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let predecessor = holder(&mut file);
        let host = nix::unistd::gethostname()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        if let Some(owner) = predecessor.as_ref().filter(|owner| owner.host != host) {
            return Err(LockError::OtherHost { owner: owner.clone() });
        }
        let owner = Owner { pid: std::process::id(), host, run: None, since: now };
        let mut lock = Self { file, owner, predecessor };
        lock.write()?;
        Ok(lock)
    }

    /// Says which run this process works on, so that a successor can end its leftovers.
    pub fn name_run(&mut self, run: &RunId) -> io::Result<()> {
        self.owner.run = Some(run.clone());
        self.write()
    }

    /// Gives the lock back with nothing left to clean up.
    pub fn release(self) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.unlock()
    }

    /// Who holds the lock at `path` now, if anyone does.
    pub fn current(path: &Path) -> Option<Owner> {
        let mut file = OpenOptions::new().read(true).open(path).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => holder(&mut file),
            _ => None,
        }
    }

    /// Who died with the lock at `path`, if it is free and was never given back.
    pub fn left_behind(path: &Path) -> Option<Owner> {
        let mut file = OpenOptions::new().read(true).open(path).ok()?;
        file.try_lock_shared().ok()?;
        holder(&mut file)
    }

    fn write(&mut self) -> io::Result<()> {
        let text = serde_json::to_vec(&self.owner)?;
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(&text)?;
        self.file.sync_data()
    }
}

fn holder(file: &mut File) -> Option<Owner> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}
