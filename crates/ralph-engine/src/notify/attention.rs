//! Whether somebody looks at a run: a lock that a focused `ralph watch` holds on a file in the run's folder.
//!
//! The kernel frees it when its holder dies, so nothing can stay behind that keeps notices silent.

use std::{
    fs::{File, TryLockError},
    io,
    path::Path,
};

use crate::{project_file, safe_files};

/// Somebody looks, as long as this value lives.
#[derive(Debug)]
pub struct Attention {
    _locked: File,
}

impl Attention {
    /// Says so in this file; several can look at once.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let file = safe_files::append(path.parent().unwrap_or(path), path)?;
        // Whoever asks holds it for a moment only.
        file.lock_shared()?;
        Ok(Self { _locked: file })
    }

    /// Whether somebody looks.
    pub fn is_paid(path: &Path) -> bool {
        let file = project_file::open(path);
        file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_paid_while_anybody_looks_and_not_afterwards() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("attention");
        assert!(!Attention::is_paid(&path));
        let (first, second) = (Attention::begin(&path)?, Attention::begin(&path)?);
        drop(first);
        assert!(Attention::is_paid(&path));
        drop(second);
        assert!(!Attention::is_paid(&path) && path.exists());
        Ok(())
    }
}
