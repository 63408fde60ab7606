//! The lock: one loop per repository. The kernel frees it when its owner dies; the file says who that was.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read, Seek, Write},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use nix::fcntl::OFlag;
use ralph_core::{ids::RunId, time::Timestamp};

use super::Owner;
use crate::safe_files;

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
        if let Some(owner) = predecessor.as_ref().filter(|owner| !owner.is_here()) {
            return Err(LockError::OtherHost { owner: owner.clone() });
        }
        let owner = Owner::this(now);
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

    /// Who holds the lock at `path`, if anyone does, by what the file says of its owner. Never takes the lock, so that
    /// whoever looks is in nobody's way.
    pub fn peek(path: &Path) -> Option<Owner> {
        holder(&mut File::open(path).ok()?).filter(Owner::lives)
    }

    /// Who died with the lock at `path`, if it is free and was never given back.
    pub fn left_behind(path: &Path) -> Option<Owner> {
        let mut file = OpenOptions::new().read(true).open(path).ok()?;
        file.try_lock_shared().ok()?;
        holder(&mut file)
    }

    fn write(&mut self) -> io::Result<()> {
        let text = serde_json::to_vec(&self.owner)?;
        // Over what is there, so that whoever peeks never finds nothing.
        self.file.rewind()?;
        self.file.write_all(&text)?;
        self.file.set_len(text.len() as u64)?;
        self.file.sync_data()
    }
}

fn holder(file: &mut File) -> Option<Owner> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.read_to_string(&mut text).ok()?;
    serde_json::Deserializer::from_str(&text).into_iter().next()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peeking_sees_the_owner_and_never_keeps_another_from_the_lock() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("ralph/lock");
        assert_eq!(Lock::peek(&path), None);
        let mut lock = Lock::take(&path, Timestamp(7)).map_err(io::Error::other)?;
        lock.name_run(&"r1".into())?;
        let seen = Lock::peek(&path);
        assert_eq!(seen.and_then(|owner| owner.run), Some("r1".into()));
        lock.release()?;
        assert_eq!(Lock::peek(&path), None);
        // An owner whose process is gone, with a longer entry than the next one writes.
        let gone = format!("{{\"pid\":4294967295,\"host\":\"{}\",", Owner::this(Timestamp(0)).host);
        let gone = format!("{gone}\"run\":\"{}\",\"since\":\"7ms\"}}", "r".repeat(300));
        std::fs::write(&path, gone)?;
        assert_eq!(Lock::peek(&path), None);
        let is_stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|threads| {
            let peeks = threads.spawn(|| {
                while !is_stop.load(std::sync::atomic::Ordering::Relaxed) {
                    Lock::peek(&path);
                }
            });
            let taken = (0..500).all(|_| {
                let lock = Lock::take(&path, Timestamp(7));
                lock.is_ok_and(|lock| Lock::peek(&path).is_some() && lock.release().is_ok())
            });
            is_stop.store(true, std::sync::atomic::Ordering::Relaxed);
            assert!(taken && peeks.join().is_ok());
        });
        Ok(())
    }
}
