//! Who holds, or held, the lock, and whether that process still lives. Looks only, and never at the lock itself.

use std::fs;

use nix::{errno::Errno, sys::signal::kill, unistd::Pid};
use ralph_core::{ids::RunId, time::Timestamp};
use serde::{Deserialize, Serialize};

/// Who holds, or held, the lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    pub pid: u32,
    pub host: String,
    pub run: Option<RunId>,
    pub since: Timestamp,
    /// When its process began, in the kernel's own count, so that a number given to another process later is told
    /// from it; 0 where the system does not say.
    #[serde(default)]
    pub began: u64,
}

impl Owner {
    /// This process.
    pub(super) fn this(now: Timestamp) -> Self {
        let pid = std::process::id();
        let began = seen(pid).map(|process| process.began).unwrap_or_default();
        Self { pid, host: host(), run: None, since: now, began }
    }

    pub(super) fn is_here(&self) -> bool {
        self.host == host()
    }

    /// The other machine that it is on, from where nobody can tell whether it lives.
    pub fn elsewhere(&self) -> Option<&str> {
        (!self.is_here()).then_some(self.host.as_str())
    }

    /// Whether its process still lives. Nobody can tell of another machine's: it counts as alive.
    pub(super) fn lives(&self) -> bool {
        if !self.is_here() {
            return true;
        }
        match seen(self.pid) {
            Some(process) => process.is_running && (self.began == 0 || self.began == process.began),
            None => !cfg!(target_os = "linux") && answers(self.pid),
        }
    }
}

struct Seen {
    began: u64,
    /// Not dead and only waiting for its parent to notice.
    is_running: bool,
}

/// What the system's table says of a process.
fn seen(pid: u32) -> Option<Seen> {
    let line = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The program's name is in brackets and may hold anything.
    let mut fields = line.rsplit_once(')')?.1.split_whitespace();
    let is_running = !matches!(fields.next()?, "Z" | "X" | "x");
    Some(Seen { began: fields.nth(18)?.parse().ok()?, is_running })
}

fn answers(pid: u32) -> bool {
    let Ok(pid) = i32::try_from(pid) else { return false };
    matches!(kill(Pid::from_raw(pid), None), Ok(()) | Err(Errno::EPERM))
}

fn host() -> String {
    nix::unistd::gethostname().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_process_lives_until_it_is_dead_even_if_nobody_noticed_or_its_number_was_given_away() {
        let this = Owner::this(Timestamp(0));
        assert!(this.lives());
        assert!(!Owner { began: this.began + 1, ..this.clone() }.lives());
        assert!(Owner { began: 0, ..this.clone() }.lives(), "as older versions wrote it");
        assert!(Owner { host: "elsewhere".into(), pid: u32::MAX, ..this.clone() }.lives());
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        let other = Owner { pid: child.id(), began: 0, ..this };
        assert!(other.lives());
        child.kill().unwrap();
        while seen(child.id()).is_some_and(|process| process.is_running) {
            std::thread::yield_now();
        }
        assert!(!other.lives(), "a zombie");
        child.wait().unwrap();
        assert!(!other.lives());
    }
}
