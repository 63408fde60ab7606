//! Reads who is whose child from `/proc`. Never signals anyone.
//!
//! Elsewhere than on Linux there is no `/proc`: every list is empty there.

use std::{collections::BTreeSet, io};

/// One process, told apart from a later one with the same number by when it was started.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Process {
    pub pid: i32,
    pub parent: i32,
    /// In clock ticks after boot.
    pub started: u64,
    /// Dead, but not yet waited for by its parent.
    pub is_zombie: bool,
}

impl Process {
    /// The process with this number as it is now; `None` if there is none.
    pub fn of(pid: i32) -> Option<Self> {
        Self::parse(pid, &std::fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Whether this very process still runs.
    pub fn is_alive(&self) -> bool {
        Self::of(self.pid).is_some_and(|now| now.started == self.started && !now.is_zombie)
    }

    /// Field 2 is the name in parentheses and may hold anything, also `)` and spaces.
    fn parse(pid: i32, stat: &[u8]) -> Option<Self> {
        let after_name = stat.iter().rposition(|&byte| byte == b')')? + 1;
        let fields = std::str::from_utf8(stat.get(after_name..)?).ok()?;
        let mut fields = fields.split_ascii_whitespace();
        let is_zombie = matches!(fields.next()?, "Z" | "X");
        let parent = fields.next()?.parse().ok()?;
        let started = fields.nth(17)?.parse().ok()?;
        Some(Self { pid, parent, started, is_zombie })
    }
}

/// Every process that can be seen from here.
pub fn all() -> io::Result<Vec<Process>> {
    if !cfg!(target_os = "linux") {
        return Ok(Vec::new());
    }
    let mut processes = Vec::new();
    for entry in std::fs::read_dir("/proc")? {
        let Some(pid) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        processes.extend(Process::of(pid));
    }
    Ok(processes)
}

/// Those of `processes` that live and descend from any of `roots`, which are not included.
pub fn descendants(processes: &[Process], roots: &[i32]) -> Vec<Process> {
    let mut family: BTreeSet<i32> = roots.iter().copied().collect();
    loop {
        let before = family.len();
        let born = processes.iter().filter(|it| family.contains(&it.parent)).map(|it| it.pid);
        family.extend(born.collect::<Vec<_>>());
        if family.len() == before {
            break;
        }
    }
    let is_meant =
        |it: &&Process| family.contains(&it.pid) && !roots.contains(&it.pid) && !it.is_zombie;
    processes.iter().filter(is_meant).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: i32, parent: i32) -> Process {
        Process { pid, parent, started: 1, is_zombie: false }
    }

    #[test]
    fn descendants_are_found_whatever_the_order() {
        let processes = [process(9, 8), process(8, 5), process(5, 1), process(7, 1), process(6, 5)];
        let found = descendants(&processes, &[5]);
        assert_eq!(found.iter().map(|it| it.pid).collect::<Vec<_>>(), [9, 8, 6]);
    }

    #[test]
    fn a_name_with_spaces_and_parentheses_does_not_confuse_the_reader() {
        let stat = b"7 (a) R 1 (b) S 4 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 12345 0";
        let parsed = Process::parse(7, stat);
        assert_eq!(parsed, Some(Process { pid: 7, parent: 4, started: 12345, is_zombie: false }));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_is_alive_and_a_later_one_with_its_number_is_not_mistaken_for_it() {
        let own = i32::try_from(std::process::id()).ok().and_then(Process::of);
        let Some(own) = own else { unreachable!("this process has a number") };
        assert!(own.is_alive());
        assert!(!Process { started: own.started + 1, ..own }.is_alive());
    }
}
