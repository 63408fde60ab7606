//! Lock files that a crash left behind. Removed only when no git process works in this repository.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use super::{command::OWN, error::GitError, files::remove_if_there};

/// How long a git that outlived its ralph may take to finish.
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two looks at it.
const PAUSE: Duration = Duration::from_millis(20);

/// Removes what stands in the way of git here, after any git that still runs here is done.
pub(crate) fn remove_stale(git_dir: &Path, common_dir: &Path, root: &Path) -> Result<(), GitError> {
    let folders = [git_dir, common_dir, root];
    let until = Instant::now() + PATIENCE;
    // On a busy machine it may not even have begun, and then there is no lock yet that tells of it.
    while is_left_behind(&folders) && Instant::now() < until {
        thread::sleep(PAUSE);
    }
    let mut locks = vec![
        git_dir.join("index.lock"),
        git_dir.join("HEAD.lock"),
        common_dir.join("packed-refs.lock"),
    ];
    for folder in ["refs", "reftable"] {
        locks_below(&common_dir.join(folder), &mut locks);
    }
    for lock in locks {
        while lock.exists() {
            if !is_git_alive(&folders, &lock) {
                remove_if_there(&lock)?;
            } else if Instant::now() > until {
                return Err(GitError::Busy { lock });
            } else {
                thread::sleep(PAUSE);
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
        is_git(&of) && (works_below(&of, folders) || names_git_dir(&of, folders))
    })
}

/// True if a git that ralph started works on this repository: one of an earlier process that is gone.
#[cfg(target_os = "linux")]
fn is_left_behind(folders: &[&Path]) -> bool {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.map(|process| process.path()).any(|of| {
        let environment = fs::read(of.join("environ")).unwrap_or_default();
        let has = |mark: &(&str, &str)| {
            let mark = format!("{}={}", mark.0, mark.1);
            super::files::split_nul(&environment).any(|variable| variable == mark.as_bytes())
        };
        is_git(&of) && OWN.iter().all(has) && names_git_dir(&of, folders)
    })
}

#[cfg(not(target_os = "linux"))]
fn is_left_behind(_folders: &[&Path]) -> bool {
    false
}

#[cfg(target_os = "linux")]
fn is_git(process: &Path) -> bool {
    fs::read_to_string(process.join("comm")).is_ok_and(|name| name.starts_with("git"))
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{
        io,
        os::unix::fs::PermissionsExt as _,
        process::{Command, Stdio},
    };

    use super::*;

    /// Something that is called git, works on this repository, and does no more than the script says.
    fn git(folder: &Path, script: &str) -> io::Result<Command> {
        let program = folder.join("git");
        fs::write(&program, format!("#!/bin/sh\n{script}\n"))?;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
        let mut command = Command::new(program);
        command.current_dir(folder).env("GIT_DIR", folder).stdin(Stdio::piped());
        Ok(command)
    }

    fn remove_stale_in(folder: &Path) -> io::Result<()> {
        remove_stale(folder, folder, folder).map_err(io::Error::other)
    }

    #[test]
    fn a_git_of_an_earlier_ralph_is_waited_for_before_it_holds_a_lock() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let mut late = git(folder.path(), "sleep 1; : > done")?.envs(OWN).spawn()?;
        remove_stale_in(folder.path())?;
        assert!(folder.path().join("done").exists(), "it still runs");
        late.wait()?;
        Ok(())
    }

    #[test]
    fn a_git_of_a_persons_own_that_holds_no_lock_is_not_waited_for() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        // It ends when its input does, which is after the look.
        let mut own = git(folder.path(), "read word; : > done")?.spawn()?;
        remove_stale_in(folder.path())?;
        assert!(!folder.path().join("done").exists());
        drop(own.stdin.take());
        own.wait()?;
        Ok(())
    }
}
