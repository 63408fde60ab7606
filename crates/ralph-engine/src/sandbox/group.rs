//! A control group for one box: what all its processes use together, bounded by the kernel. Only where this user may
//! make groups; without one each process is bounded by itself, which binds neither their sum nor root.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Stdio,
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::Duration,
};

use crate::{fence::Limits, outside::Outside};

/// What groups of ralph's are called; the number of the process that made one follows.
const NAME: &str = "ralph-box-";
/// Where a process says that it wants to be in a group.
const MEMBERS: &str = "cgroup.procs";
/// How often, and with which pause, a group is removed whose last process is just leaving.
const TRIES: usize = 50;
const PAUSE: Duration = Duration::from_millis(10);
/// So long nobody removes a group of somebody else's.
const NEW: Duration = Duration::from_mins(1);

/// Folders of the kernel that together are the group: one, or one for each kind of bound in the older layout. Dropping
/// it removes them.
#[derive(Debug)]
pub(super) struct Group {
    folders: Vec<PathBuf>,
}

/// Where groups can be made, and what is written into a new one.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    folder: PathBuf,
    bounds: Vec<(&'static str, Bound)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    Memory,
    Processes,
}

impl Group {
    /// A group with these bounds; `None` where none can be made or entered.
    pub(super) fn make(limits: &Limits) -> Option<Self> {
        is_possible().then(|| Self::attempt(limits).ok()).flatten()
    }

    fn attempt(limits: &Limits) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{NAME}{}-{number}", std::process::id());
        let mut group = Self { folders: Vec::new() };
        let places = places();
        for bound in [Bound::Memory, Bound::Processes] {
            if !places.iter().any(|place| place.bounds.iter().any(|(_, known)| *known == bound)) {
                return Err(io::ErrorKind::Unsupported.into());
            }
        }
        for place in places {
            remove_old(&place.folder);
            let folder = place.folder.join(&name);
            fs::create_dir(&folder)?;
            group.folders.push(folder.clone());
            for (file, bound) in place.bounds {
                fs::write(folder.join(file), bound.of(limits).to_string())?;
            }
            // Not every kernel counts what is swapped out; where it does, that is no way around the bound.
            let both = Bound::Memory.of(limits).to_string();
            for (file, most) in [("memory.swap.max", "0"), ("memory.memsw.limit_in_bytes", &both)] {
                let file = folder.join(file);
                if file.exists() {
                    fs::write(file, most)?;
                }
            }
        }
        Ok(group)
    }

    /// What a process has to enter before it starts anything.
    pub(super) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Whether the kernel ended a process of the group because there was no memory left for it.
    pub(super) fn ran_out(&self) -> bool {
        let counts = |folder: &PathBuf| {
            let files = ["memory.events", "memory.oom_control"].map(|name| folder.join(name));
            files.iter().filter_map(|file| fs::read_to_string(file).ok()).any(|text| {
                let count = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
                count.is_some_and(|count| count.trim() != "0")
            })
        };
        self.folders.iter().any(counts)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for folder in &self.folders {
            let mut tries = 0..TRIES;
            while fs::remove_dir(folder).is_err() && folder.exists() && tries.next().is_some() {
                thread::sleep(PAUSE);
            }
        }
    }
}

impl Bound {
    fn of(self, limits: &Limits) -> u64 {
        match self {
            // The rest of the machine needs some to stay usable.
            Self::Memory => limits.data_bytes / 8 * 7,
            Self::Processes => limits.processes,
        }
    }
}

/// Enters a group: this process, and all it will start.
pub(super) fn enter(folders: &[PathBuf]) -> io::Result<()> {
    folders.iter().try_for_each(|folder| fs::write(folder.join(MEMBERS), "0"))
}

/// Whether boxes of this process get groups. Tried once: being allowed to make one is not being allowed to enter it.
pub(super) fn is_possible() -> bool {
    static POSSIBLE: OnceLock<bool> = OnceLock::new();
    *POSSIBLE.get_or_init(|| {
        let limits = Limits { processes: 1024, file_bytes: u64::MAX, data_bytes: 1 << 30 };
        Group::attempt(&limits).is_ok_and(|group| {
            let enters = |folder: &PathBuf| {
                let mut command = Outside::default().command_for("/bin/sh");
                command.args(["-c", "echo $$ > \"$1\"", "sh"]).arg(folder.join(MEMBERS));
                command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
                command.status().is_ok_and(|status| status.success())
            };
            group.folders.iter().all(enters)
        })
    })
}

/// Where this process is in the kernel's groups, and what can be bounded beside it.
fn places() -> Vec<Place> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    places_in(&read("/proc/self/cgroup"), &read("/proc/self/mountinfo"))
}

fn places_in(groups: &str, mounts: &str) -> Vec<Place> {
    let mut found = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(kinds), Some(path)) = (parts.next(), parts.next()) else { continue };
        let old: Vec<_> = kinds.split(',').filter_map(old_bound).collect();
        let system = if kinds.is_empty() { "cgroup2" } else { "cgroup" };
        let Some(own) = folder_of(mounts, system, kinds, path) else { continue };
        if kinds.is_empty() {
            found.extend(beside(&own));
        } else if !old.is_empty() {
            found.push(Place { folder: own, bounds: old });
        }
    }
    found
}

/// In the newer layout a group with processes of its own can have no bounded groups inside: ours is made beside it.
fn beside(own: &Path) -> Option<Place> {
    let offers = |folder: &&Path| {
        let kinds = fs::read_to_string(folder.join("cgroup.subtree_control")).unwrap_or_default();
        let has = |kind: &str| kinds.split_whitespace().any(|one| one == kind);
        has("memory") && has("pids")
    };
    let folder = [Some(own), own.parent()].into_iter().flatten().find(offers)?;
    let bounds = vec![("memory.max", Bound::Memory), ("pids.max", Bound::Processes)];
    Some(Place { folder: folder.to_owned(), bounds })
}

fn old_bound(kind: &str) -> Option<(&'static str, Bound)> {
    match kind {
        "memory" => Some(("memory.limit_in_bytes", Bound::Memory)),
        "pids" => Some(("pids.max", Bound::Processes)),
        _ => None,
    }
}

/// The folder of a group, below where its layout is mounted.
fn folder_of(mounts: &str, system: &str, kinds: &str, path: &str) -> Option<PathBuf> {
    mounts.lines().find_map(|line| {
        let (mount, about) = line.split_once(" - ")?;
        let mut about = about.split(' ');
        let is_layout = about.next() == Some(system);
        let mut options = about.nth(1).unwrap_or_default().split(',');
        if !is_layout
            || !(kinds.is_empty() || kinds.split(',').all(|one| options.any(|it| it == one)))
        {
            return None;
        }
        let mut fields = mount.split(' ').skip(3);
        let (root, at) = (fields.next()?, fields.next()?);
        let below = Path::new(path).strip_prefix(root).ok()?;
        Some(Path::new(at).join(below))
    })
}

/// Removes groups of a ralph that is gone; one that still has processes stays. So does a new one: a ralph that sees
/// other processes than this one may be about to enter it.
fn remove_old(place: &Path) {
    let is_new = |entry: &fs::DirEntry| {
        let made = entry.metadata().and_then(|it| it.modified()).ok();
        made.and_then(|made| made.elapsed().ok()).is_none_or(|age| age < NEW)
    };
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| !is_new(entry)) {
        let name = entry.file_name();
        let maker = name.to_str().and_then(|name| name.strip_prefix(NAME)?.split('-').next());
        if maker.is_some_and(|maker| !Path::new("/proc").join(maker).exists()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{error::Error, process::Command};

    use super::*;

    /// Runs a script in the group; `None` where this machine lets nobody make one.
    fn in_group(limits: Limits, script: &str) -> io::Result<Option<(String, bool)>> {
        let Some(group) = Group::make(&limits) else { return Ok(None) };
        let mut command = Command::new("/bin/sh");
        let enter = "for one in \"$@\"; do echo $$ > \"$one/cgroup.procs\" || exit 9; done; ";
        command.args(["-c", &format!("{enter}{script}"), "sh"]).args(group.folders());
        let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output()?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let told = (said, group.ran_out());
        let folders = group.folders().to_vec();
        drop(group);
        assert!(folders.iter().all(|folder| !folder.exists()), "the group is still there");
        Ok(Some(told))
    }

    #[test]
    fn a_box_that_forks_without_end_is_stopped_by_its_group() -> io::Result<()> {
        let limits = Limits { processes: 30, file_bytes: u64::MAX, data_bytes: 8 << 30 };
        let bomb = "f() { sleep 0.3 & }; echo began; i=0; while [ $i -lt 200 ]; do f; i=$((i+1)); done; echo ended";
        if let Some((said, _)) = in_group(limits, bomb)? {
            assert_eq!(said, "began\n");
        }
        Ok(())
    }

    #[test]
    fn processes_share_one_bound_of_memory() -> io::Result<()> {
        let limits = Limits { processes: 100, file_bytes: u64::MAX, data_bytes: 64 << 20 };
        let hog = "head -c 300000000 /dev/zero | tail -n 1 | wc -c";
        if let Some((said, ran_out)) = in_group(limits, hog)? {
            assert!(ran_out && said.trim() != "300000000", "{said}");
        }
        let modest = "head -c 1000000 /dev/zero | tail -n 1 | wc -c";
        if let Some((said, ran_out)) = in_group(limits, modest)? {
            assert!(!ran_out && said.trim() == "1000000", "{said}");
        }
        Ok(())
    }

    #[test]
    fn groups_are_found_in_both_layouts() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let at = folder.path().display();
        let own = folder.path().join("app.slice/term.scope");
        fs::create_dir_all(&own)?;
        let mounts = format!("30 23 0:26 / {at} rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
        let groups = "0::/app.slice/term.scope\n";
        assert_eq!(places_in(groups, &mounts), []);
        fs::write(folder.path().join("app.slice/cgroup.subtree_control"), "cpu memory pids\n")?;
        let found = places_in(groups, &mounts);
        assert_eq!(
            found.iter().map(|it| it.folder.clone()).collect::<Vec<_>>(),
            [folder.path().join("app.slice")]
        );
        let mounts = "31 23 0:27 / /cg/memory rw - cgroup cgroup rw,memory\n\
            32 23 0:28 / /cg/pids rw - cgroup cgroup rw,pids\n";
        let found = places_in("4:memory:/a\n8:pids:/\n1:cpu:/\n", mounts);
        let folders: Vec<_> = found.iter().map(|it| it.folder.display().to_string()).collect();
        assert_eq!(folders, ["/cg/memory/a", "/cg/pids/"]);
        Ok(())
    }
}
