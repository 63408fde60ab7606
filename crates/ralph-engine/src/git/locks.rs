//! Lock files that a crash left behind. Removed only when no git process works in this repository.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use super::{error::GitError, files::remove_if_there};

/// How long a git that outlived its ralph may take to finish.
const PATIENCE: Duration = Duration::from_secs(30);

/// Removes what stands in the way of git here, after any git that still runs here is done.
pub(crate) fn remove_stale(git_dir: &Path, common_dir: &Path, root: &Path) -> Result<(), GitError> {
    let mut locks = vec![
        git_dir.join("index.lock"),
        git_dir.join("HEAD.lock"),
        common_dir.join("packed-refs.lock"),
    ];
    for folder in ["refs", "reftable"] {
        locks_below(&common_dir.join(folder), &mut locks);
    }
    let until = Instant::now() + PATIENCE;
    for lock in locks {
        while lock.exists() {
            if !is_git_alive(&[git_dir, common_dir, root], &lock) {
                remove_if_there(&lock)?;
            } else if Instant::now() > until {
                return Err(GitError::Busy { lock });
            } else {
                thread::sleep(Duration::from_millis(20));
            }
        }
    }
    Ok(())
}

/// Any ref may have been about to change: the run's own, a kept branch, or one that was being put back.
fn locks_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            locks_below(&path, found);
        } else if path.extension().is_some_and(|end| end == "lock") {
            found.push(path);
        }
    }
}

/// True if a git process works in one of these folders.
#[cfg(target_os = "linux")]
fn is_git_alive(folders: &[&Path], _lock: &Path) -> bool {
    let Ok(processes) = fs::read_dir("/proc") else {
        return true;
    };
    processes.flatten().any(|process| {
        let of = process.path();
        let is_git = fs::read_to_string(of.join("comm")).is_ok_and(|name| name.starts_with("git"));
        is_git && (works_below(&of, folders) || names_git_dir(&of, folders))
    })
}

#[cfg(target_os = "linux")]
fn works_below(process: &Path, folders: &[&Path]) -> bool {
    let place = fs::read_link(process.join("cwd")).ok();
    place.is_some_and(|place| folders.iter().any(|folder| place.starts_with(folder)))
}

#[cfg(target_os = "linux")]
fn names_git_dir(process: &Path, folders: &[&Path]) -> bool {
    use std::os::unix::ffi::OsStrExt as _;
    let environment = fs::read(process.join("environ")).unwrap_or_default();
    let value = super::files::split_nul(&environment).find_map(|var| var.strip_prefix(b"GIT_DIR="));
    value.is_some_and(|dir| folders.iter().any(|folder| folder.as_os_str().as_bytes() == dir))
}

/// Where processes cannot be listed, a lock counts as stale after ten minutes.
#[cfg(not(target_os = "linux"))]
fn is_git_alive(_folders: &[&Path], lock: &Path) -> bool {
    let age = fs::metadata(lock).and_then(|entry| entry.modified()).ok();
    let age = age.and_then(|time| time.elapsed().ok()).unwrap_or_default();
    age < Duration::from_secs(600)
}
