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
    spec::RUN_MARKER,
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

/// Ends every process of this run, with all descendants, and waits until they are gone.
pub fn sweep(run: &RunId) -> io::Result<Swept> {
    sweep_marked(&format!("{RUN_MARKER}={run}"))
}

/// Ends every process with `marker` (`NAME=value`) in its environment.
pub(super) fn sweep_marked(marker: &str) -> io::Result<Swept> {
    let until = Instant::now() + PATIENCE;
    let mut found: Vec<Process> = Vec::new();
    loop {
        let living = marked_trees(marker)?;
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

fn marked_trees(marker: &str) -> io::Result<Vec<Process>> {
    let processes = tree::all()?;
    let spared = self_and_ancestors(&processes);
    let is_marked =
        |it: &&Process| !spared.contains(&it.pid) && !it.is_zombie && carries(it.pid, marker);
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

fn carries(pid: i32, marker: &str) -> bool {
    let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environ.split(|&byte| byte == 0).any(|entry| entry == marker.as_bytes())
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn only_processes_with_the_marker_are_ended() -> io::Result<()> {
        let run = RunId(format!("sweep-test-{}", std::process::id()));
        let mut marked = Command::new("sleep").arg("600").env(RUN_MARKER, run.as_str()).spawn()?;
        let longer = format!("{run}-other");
        let mut other = Command::new("sleep").arg("600").env(RUN_MARKER, longer).spawn()?;

        let swept = sweep(&run)?;

        assert_eq!(swept, Swept { found: 1, left: 0 });
        assert!(!marked.wait()?.success());
        assert!(other.try_wait()?.is_none());
        other.kill()?;
        other.wait()?;
        Ok(())
    }
}
