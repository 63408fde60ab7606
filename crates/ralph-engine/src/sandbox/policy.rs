//! What is in the box: the one place that decides it. Reads the disk to see what is there, and changes nothing.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use super::{
    bubblewrap::RALPH_INSIDE,
    caches, git_config,
    profile::{Limits, Mount, Profile, Reach},
    tools,
};

/// Folders at the top of the file system that belong to the system. Everything else there is somebody's data.
const SYSTEM: &[&str] = &[
    "bin", "etc", "gnu", "lib", "lib32", "lib64", "libx32", "nix", "opt", "sbin", "snap", "sys",
    "usr", "var",
];

/// Empty in every box.
const PRIVATE: &[&str] = &["/tmp", "/var/tmp", "/var/run", "/run"];

/// Read by the system alone; a box of root could read them too.
const HIDDEN: &[&str] = &[
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/sudoers",
    "/etc/ssl/private",
    "/etc/ssh",
    "/var/backups",
    "/var/lib/docker",
    "/var/lib/containers",
    "/var/mail",
    "/var/spool",
];

/// Name of git's settings in a home.
pub(super) const GIT_SETTINGS: &str = ".gitconfig";

/// Shown in the place of a file that must not be seen.
const NOTHING: &str = "/dev/null";

/// What a machine and its user look like from ralph.
#[derive(Debug, Clone)]
pub struct Machine {
    pub home: PathBuf,
    /// Ralph's own program.
    pub ralph: PathBuf,
    /// For what builds in this repository add to package caches.
    pub cache: PathBuf,
    pub environment: Vec<(std::ffi::OsString, std::ffi::OsString)>,
    /// What the box's own settings of git say.
    pub git_settings: String,
    /// What agents can write: no program from there is started outside a box.
    pub shut_out: Vec<PathBuf>,
}

impl Machine {
    /// A variable of the environment.
    pub(super) fn variable(&self, name: &str) -> Option<&OsStr> {
        let found = self.environment.iter().find(|(known, _)| known == name)?;
        Some(&found.1)
    }
}

/// What one process in a box needs.
#[derive(Debug, Clone, Default)]
pub struct Errand {
    /// The folder it works in.
    pub workspace: PathBuf,
    /// Never changed by it, whatever lies around them: `.git`, `.ralph`.
    pub protected: Vec<PathBuf>,
    /// Empty inside, whatever is there: what an agent would load unasked.
    pub hidden: Vec<PathBuf>,
    /// Seen inside at another place than here, to be read: from, at.
    pub shown: Vec<(PathBuf, PathBuf)>,
    /// Written at another place than here: from, at.
    pub lent: Vec<(PathBuf, PathBuf)>,
    /// What its home begins with; without it, nothing.
    pub home: Option<PathBuf>,
    pub readable: Vec<PathBuf>,
    pub writable: Vec<PathBuf>,
    /// The program to start.
    pub program: std::ffi::OsString,
    pub unix_sockets: bool,
}

impl Errand {
    /// Of whoever works in `workspace`: the repository's own folders and `views` are seen and never changed.
    pub fn work(workspace: &Path, common_dir: &Path, views: &Path) -> Self {
        let protected = vec![workspace.join(".git"), common_dir.to_owned(), views.to_owned()];
        // Whoever works elsewhere finds the same notes at the same relative place, and cannot make others.
        let here = workspace.join(".ralph");
        let shown = if here == *views || !views.is_dir() {
            Vec::new()
        } else {
            vec![(views.to_owned(), here)]
        };
        Self { workspace: workspace.to_owned(), protected, shown, ..Self::default() }
    }
}

/// Why there can be no box.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    #[error("{} holds your home folder, so a box around it would hold everything of yours", .0.display())]
    HoldsHome(PathBuf),
    #[error("HOME is {0:?}, which is no folder that a box could put an empty one in the place of")]
    NoHome(PathBuf),
    #[error("{} is not a path without links", .0.display())]
    Linked(PathBuf),
}

/// The box for an errand.
pub(super) fn profile(
    machine: &Machine,
    errand: &Errand,
    reach: Reach,
) -> Result<Profile, PolicyError> {
    let workspace = real(&errand.workspace)?;
    let home = home_of(machine)?;
    for root in errand.writable.iter().chain([&workspace]) {
        if home.starts_with(root) {
            return Err(PolicyError::HoldsHome(root.clone()));
        }
    }
    let mut mounts = system();
    mounts.push(match &errand.home {
        Some(from) => Mount::Lent { from: from.clone(), at: home.clone() },
        None => Mount::Empty { at: home.clone() },
    });
    mounts.extend(programs(machine, &home, errand));
    let variable = |name: &str| machine.variable(name).map(PathBuf::from);
    mounts.extend(caches::mounts(&home, &machine.cache, variable));
    mounts
        .push(Mount::Shown { from: machine.cache.join(GIT_SETTINGS), at: home.join(GIT_SETTINGS) });
    mounts.extend(errand.readable.iter().filter(|path| path.exists()).map(Mount::shown));
    mounts.extend(errand.writable.iter().filter(|path| path.exists()).map(Mount::lent));
    mounts.push(Mount::lent(workspace.clone()));
    mounts.extend(errand.hidden.iter().filter_map(|path| hidden(path)));
    for (from, at) in &errand.lent {
        mounts.push(Mount::Lent { from: from.clone(), at: at.clone() });
    }
    for (from, at) in &errand.shown {
        mounts.push(Mount::Shown { from: from.clone(), at: at.clone() });
    }
    mounts.extend(errand.protected.iter().map(|path| protected(path)));
    mounts.extend(git_config::mounts(&errand.protected, &machine.cache));
    mounts.push(Mount::Shown { from: machine.ralph.clone(), at: RALPH_INSIDE.into() });
    let unix_sockets = errand.unix_sockets;
    let groups = Vec::new();
    Ok(Profile { mounts, workspace, home, reach, unix_sockets, limits: limits(), groups })
}

/// The user's home, which must be a folder of its own: an empty one in the place of `/` or `/usr` hides the system.
fn home_of(machine: &Machine) -> Result<PathBuf, PolicyError> {
    let refused = || PolicyError::NoHome(machine.home.clone());
    let home = fs::canonicalize(&machine.home).map_err(|_| refused())?;
    let is_system = SYSTEM.iter().any(|name| home == Path::new("/").join(name));
    if home == Path::new("/") || is_system { Err(refused()) } else { Ok(home) }
}

/// The system's own folders, without what is private in them.
fn system() -> Vec<Mount> {
    let mut mounts = Vec::new();
    for name in SYSTEM {
        let path = Path::new("/").join(name);
        match fs::read_link(&path) {
            Ok(to) => mounts.push(Mount::Link { to, at: path }),
            Err(_) if path.is_dir() => mounts.push(Mount::shown(path)),
            Err(_) => {}
        }
    }
    for path in PRIVATE.iter().map(Path::new) {
        let is_link = fs::symlink_metadata(path).is_ok_and(|entry| entry.is_symlink());
        if !is_link {
            mounts.push(Mount::Empty { at: path.into() });
        }
    }
    mounts.extend(HIDDEN.iter().filter_map(|path| hidden(Path::new(path))));
    mounts
}

/// A path as it is; where nothing is, what is made there is gone with the box: ralph would believe it later.
fn protected(path: &Path) -> Mount {
    if path.exists() { Mount::shown(path) } else { Mount::Empty { at: path.to_owned() } }
}

/// An empty folder or file in the place of one; nothing where there is none.
fn hidden(path: &Path) -> Option<Mount> {
    let entry = fs::metadata(path).ok()?;
    Some(if entry.is_dir() {
        Mount::Empty { at: path.to_owned() }
    } else {
        Mount::Shown { from: NOTHING.into(), at: path.to_owned() }
    })
}

/// Programs that are not among the system's, never a folder that holds the workspace or the home.
fn programs(machine: &Machine, home: &Path, errand: &Errand) -> Vec<Mount> {
    let folders = tools::folders(machine, home, &errand.program);
    let is_seen = |folder: &Path| {
        let top = folder.components().nth(1).map(|part| part.as_os_str().to_owned());
        let private = PRIVATE.iter().any(|private| folder.starts_with(private));
        top.is_some_and(|top| SYSTEM.iter().any(|name| top == *name))
            && !private
            && !folder.starts_with(home)
    };
    let holds = |folder: &Path| home.starts_with(folder) || errand.workspace.starts_with(folder);
    let mut shown: Vec<PathBuf> = Vec::new();
    // Sorted: a folder comes before what lies in it and is seen with it. A link there is no place to mount on.
    for path in folders.into_iter().filter(|path| !is_seen(path) && !holds(path)) {
        if !shown.iter().any(|folder| path.starts_with(folder)) {
            shown.push(path);
        }
    }
    shown.into_iter().map(Mount::shown).collect()
}

/// A path as the kernel sees it: one with links in it could be moved under our feet.
fn real(path: &Path) -> Result<PathBuf, PolicyError> {
    fs::canonicalize(path).map_err(|_| PolicyError::Linked(path.to_owned()))
}

/// Wide enough for any build; narrow enough that the machine stays usable.
fn limits() -> Limits {
    const FILE: u64 = 64 << 30;
    const PROCESSES: u64 = 8_192;
    Limits { processes: PROCESSES, file_bytes: FILE, data_bytes: memory().unwrap_or(u64::MAX) }
}

/// All the memory of the machine, in bytes.
fn memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes << 10)
}
