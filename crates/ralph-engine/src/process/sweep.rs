//! Ends what a dead run left behind, found by its marker in the environment. Never touches this
//! process or its ancestors.
//!
//! Linux only: elsewhere the environment of other processes cannot be read, so the shim's process
//! group is all there is and a sweep finds nothing. A process that removed the marker from its own
//! environment is found only through an ancestor that kept it.

use std::{
    collections::BTreeSet,
    io,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use ralph_core::ids::RunId;

use super::{
    home::Home,
    spec::TREE_MARKER,
    tree::{self, Process},
};

/// How long to wait for killed processes to be gone.
const PATIENCE: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(5);

/// What a sweep did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[must_use]
pub struct Swept {
    /// Processes that were found and killed.
    pub found: u32,
    /// Of these, how many were still there at the end.
    pub left: u32,
}

/// Ends every process of the run that lives here, with all descendants, and waits until they are gone.
pub fn sweep(home: Home, run: &RunId) -> io::Result<Swept> {
    let trees = trees_of(home, run);
    sweep_marked(&|tree| tree.starts_with(&trees))
}

/// How the marker of every process tree of a run begins.
pub(super) fn trees_of(home: Home, run: &RunId) -> String {
    format!("{home}.{run}.")
}

/// Ends every process of the trees that are meant.
pub(super) fn sweep_marked(is_meant: &dyn Fn(&str) -> bool) -> io::Result<Swept> {
    let until = Instant::now() + PATIENCE;
    let mut found: Vec<Process> = Vec::new();
    loop {
        let living = marked_trees(is_meant)?;
        for process in &living {
            // A failure means that it is gone already or is not ours to end; counted below.
            let _ = kill(Pid::from_raw(process.pid), Signal::SIGKILL);
        }
        // A victim may have forked between being seen and being killed, so only an empty look ends
        // it; and one that is dying has no environment any more but is still there.
        let left = found.iter().filter(|it| it.is_alive()).count().max(living.len());
        for process in living {
            if !found.iter().any(|it| (it.pid, it.started) == (process.pid, process.started)) {
                found.push(process);
            }
        }
        if left == 0 || Instant::now() >= until {
            return Ok(Swept { found: count(found.len()), left: count(left) });
        }
        std::thread::sleep(PAUSE);
    }
}

fn marked_trees(is_meant: &dyn Fn(&str) -> bool) -> io::Result<Vec<Process>> {
    let processes = tree::all()?;
    let spared = self_and_ancestors(&processes);
    let is_marked =
        |it: &&Process| !spared.contains(&it.pid) && !it.is_zombie && carries(it.pid, is_meant);
    let mut victims: Vec<Process> = processes.iter().filter(is_marked).cloned().collect();
    let roots: Vec<i32> = victims.iter().map(|it| it.pid).collect();
    let below = tree::descendants(&processes, &roots);
    victims.extend(below.into_iter().filter(|it| !spared.contains(&it.pid)));
    Ok(victims)
}

fn self_and_ancestors(processes: &[Process]) -> BTreeSet<i32> {
    let mut spared = BTreeSet::new();
    let mut next = Some(Pid::this().as_raw());
    while let Some(pid) = next.filter(|pid| spared.insert(*pid)) {
        next = processes.iter().find(|it| it.pid == pid).map(|it| it.parent);
    }
    spared
}

fn carries(pid: i32, is_meant: &dyn Fn(&str) -> bool) -> bool {
    let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environ.split(|&byte| byte == 0).any(|entry| {
        let tree = entry.strip_prefix(TREE_MARKER.as_bytes()).and_then(|it| it.strip_prefix(b"="));
        tree.and_then(|tree| str::from_utf8(tree).ok()).is_some_and(is_meant)
    })
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn only_processes_of_this_run_in_this_place_are_ended() -> io::Result<()> {
        let run = RunId(format!("sweep-test-{}", std::process::id()));
        let (folder, elsewhere) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let (home, elsewhere) = (Home::of(folder.path())?, Home::of(elsewhere.path())?);
        let sleep = |tree: String| Command::new("sleep").arg("600").env(TREE_MARKER, tree).spawn();
        let mut marked = sleep(format!("{}77.1", trees_of(home, &run)))?;
        let others = [
            format!("{}77.1", trees_of(home, &RunId(format!("{run}-other")))),
            format!("{}77.1", trees_of(elsewhere, &run)),
        ];
        let mut others = others.into_iter().map(sleep).collect::<io::Result<Vec<_>>>()?;

        let swept = sweep(home, &run)?;

        assert_eq!(swept, Swept { found: 1, left: 0 });
        assert!(!marked.wait()?.success());
        for other in &mut others {
            assert!(other.try_wait()?.is_none());
            other.kill()?;
            other.wait()?;
        }
        Ok(())
    }
}
