//! The box of a git that looks at a worktree: no network, no home, no other process; it writes objects, one index and,
//! where the command says so, files of the worktree.
//!
//! Must never mount at a place that an agent could have made: all places are real paths that were known before.

use std::{
    ffi::OsString,
    fs, io,
    os::{
        fd::{AsRawFd as _, OwnedFd},
        unix::{ffi::OsStringExt as _, fs::MetadataExt as _},
    },
    path::{Path, PathBuf},
    process::Command,
};

use super::{configuration::Folders, environment::GitEnv, touch::Touch};
use crate::{outside, sandbox::RALPH_INSIDE};

/// Where the system keeps programs and what they are linked with.
const SYSTEM: &[&str] = &["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store"];
/// What programs need of the machine's settings to start at all.
const STARTING: &[&str] =
    &["/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/alternatives", "/run/current-system"];
/// What lies beside a folder of programs and belongs to them.
const BESIDE: [&str; 4] = ["lib", "lib64", "libexec", "pyvenv.cfg"];
/// How deep object stores may borrow from each other; git itself stops there.
const BORROWED: usize = 5;
/// In the box, where the user's own ignore rules and attributes are.
const IGNORE: &str = "/run/git-ignore";
const ATTRIBUTES: &str = "/run/git-attributes";
/// What a git in the box needs of its folder, besides objects and settings. Neither hooks, nor logs, nor ralph's own.
const SHOWN: &[&str] = &[
    "HEAD",
    "commondir",
    "gitdir",
    "info",
    "lfs",
    "modules",
    "packed-refs",
    "refs",
    "reftable",
    "shallow",
    "worktrees",
];
/// How parts of an index are named that several share.
const SHARED_INDEX: &str = "sharedindex.";
/// Commands that look at no index.
const WITHOUT_INDEX: &[&str] = &["diff-tree", "hash-object", "index-pack", "rev-list"];

/// Variables of every git in the box: nothing of a home, and nothing to be downloaded.
const QUIET: [(&str, &str); 4] = [
    ("HOME", "/tmp"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_LFS_SKIP_DOWNLOAD_ERRORS", "1"),
];

/// Who is in the box, and what is theirs.
pub(super) struct Inside<'a> {
    pub(super) env: &'a GitEnv,
    pub(super) folders: Folders<'a>,
    pub(super) touch: Touch,
    /// The folder of the index file, if the command has one of its own.
    pub(super) index: Option<&'a Path>,
    /// The command, by its name.
    pub(super) name: &'a str,
    /// Where new objects go instead of into the store, which is then only read.
    pub(super) incoming: Option<&'a Path>,
    /// Further folders that may be written: what a filter stores.
    pub(super) stores: &'a [PathBuf],
    /// Programs of the filters that may run.
    pub(super) programs: &'a [PathBuf],
    pub(super) config: &'a [u8],
    pub(super) ignore: Option<&'a [u8]>,
    pub(super) attributes: Option<&'a [u8]>,
}

/// A box as bubblewrap is told of it: its words, and the files that are nowhere on disk, each behind so many words.
#[derive(Debug)]
pub(super) struct Line {
    args: Vec<OsString>,
    files: Vec<(usize, Vec<u8>)>,
    /// What the places were when it was written: another folder or file of the same name is another box.
    places: Vec<PathBuf>,
}

impl Line {
    /// The box around nothing but the system.
    fn new(env: &GitEnv) -> Self {
        let args = [
            "--unshare-user",
            "--unshare-pid",
            "--unshare-ipc",
            "--unshare-uts",
            "--unshare-net",
            "--unshare-cgroup-try",
            "--die-with-parent",
            "--new-session",
            "--cap-drop",
            "ALL",
        ];
        let mut line =
            Self { args: args.map(OsString::from).to_vec(), files: Vec::new(), places: Vec::new() };
        for place in SYSTEM.iter().map(Path::new) {
            match fs::read_link(place) {
                Ok(to) => line.add("--symlink", &[&to, place]),
                Err(_) if place.is_dir() => line.add("--ro-bind", &[place, place]),
                Err(_) => {}
            }
        }
        for place in STARTING.iter().map(Path::new).filter(|place| place.exists()) {
            line.add("--ro-bind", &[place, place]);
        }
        line.add("--dev", &[Path::new("/dev")]);
        line.add("--tmpfs", &[Path::new("/tmp")]);
        line.show_program(&env.program);
        line
    }

    /// A box with something in it that is gone.
    #[cfg(test)]
    pub(super) fn unmakeable() -> Self {
        let mut line = Self::new(&GitEnv::inherited());
        line.add("--ro-bind", &[Path::new("/nonexistent"), Path::new("/nonexistent")]);
        line
    }

    fn add(&mut self, how: &str, paths: &[&Path]) {
        self.args.push(how.into());
        self.places.extend(paths.first().map(|&path| path.to_owned()));
        self.args.extend(paths.iter().map(|path| path.as_os_str().to_owned()));
    }

    /// A program from elsewhere, with what it is linked with. Nothing else of the folder around: it may be in a home.
    fn show_program(&mut self, program: &Path) {
        let Ok(real) = fs::canonicalize(program) else { return };
        for place in [program, &real] {
            let bin = place.parent().unwrap_or(place);
            let around = bin.parent().filter(|_| bin.ends_with("bin"));
            let beside = around.into_iter().flat_map(|around| BESIDE.map(|name| around.join(name)));
            let shown = beside.filter(|path| path.exists()).chain([bin.to_owned()]);
            for path in shown.filter(|path| !SYSTEM.iter().any(|system| path.starts_with(system))) {
                self.add("--ro-bind", &[&path, &path]);
            }
        }
    }

    /// A file of this content at a place in the box.
    fn file(&mut self, content: &[u8], at: &Path) {
        self.args.push("--ro-bind-data".into());
        self.files.push((self.args.len(), content.to_vec()));
        self.args.push(at.into());
        self.places.push(at.to_owned());
    }

    /// Everything that tells this box from another.
    pub(super) fn made_of(&self) -> Vec<OsString> {
        let files = self.files.iter().map(|(_, content)| OsString::from_vec(content.clone()));
        // A file that is shown stays the one it was, though another may have come in its place: inodes are used again.
        let identity = |place: &PathBuf| {
            let Ok(about) = fs::metadata(place) else { return OsString::new() };
            let changed =
                if about.is_file() { (about.ctime(), about.ctime_nsec()) } else { (0, 0) };
            format!("{}:{}:{changed:?}", about.dev(), about.ino()).into()
        };
        let places = self.places.iter().map(identity);
        self.args.iter().cloned().chain(files).chain(places).collect()
    }

    /// Bubblewrap, told to make the box and then whatever the caller adds.
    pub(super) fn command(&self, passed: Option<OwnedFd>) -> io::Result<Command> {
        let mut command =
            outside::bubblewrap_command().ok_or_else(|| io::Error::other("bubblewrap is gone"))?;
        let (mut fds, mut done): (Vec<OwnedFd>, _) = (Vec::new(), 0);
        for (at, content) in &self.files {
            let fd = in_memory(content)?;
            command.args(&self.args[done..*at]).arg(fd.as_raw_fd().to_string());
            fds.push(fd);
            done = *at;
        }
        command.args(&self.args[done..]);
        fds.extend(passed);
        crate::unix::start_apart_with(&mut command, fds);
        Ok(command)
    }

    /// The box around this command, which keeps its words and variables.
    pub(super) fn around(&self, command: &Command) -> io::Result<Command> {
        let mut outer = self.command(None)?;
        outer.arg("--").arg(command.get_program()).args(command.get_args()).env_clear();
        let set = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
        outer.envs(set);
        Ok(outer)
    }

    /// The same with ralph in it, and this descriptor.
    pub(super) fn command_for_ralph(&self, passed: OwnedFd) -> io::Result<Command> {
        let ralph = std::env::current_exe()?;
        let mut command = self.command(Some(passed))?;
        command.arg("--ro-bind").args([ralph.as_path(), Path::new(RALPH_INSIDE)]);
        command.args(["--", RALPH_INSIDE]);
        Ok(command)
    }
}

/// The box of a git, and the beginning of its command line in it; variables and arguments come from the caller.
pub(super) fn command(inside: &Inside<'_>) -> io::Result<(Line, Command)> {
    let mut line = Line::new(inside.env);
    let Folders { work_tree, common_dir, .. } = inside.folders;
    let objects = fs::canonicalize(common_dir.join("objects"))?;
    check(inside, &objects)?;
    if !inside.programs.is_empty() {
        line.add("--proc", &[Path::new("/proc")]);
    }
    inside.programs.iter().for_each(|program| line.show_program(program));
    for (how, from, at) in mounts(inside, &objects)? {
        match how {
            EMPTY => line.add(how, &[&at]),
            _ => line.add(how, &[&from, &at]),
        }
    }
    line.file(inside.config, &common_dir.join("config"));
    line.add("--remount-ro", &[common_dir]);
    for (content, at) in [(inside.ignore, IGNORE), (inside.attributes, ATTRIBUTES)] {
        line.file(content.unwrap_or_default(), Path::new(at));
    }
    line.add("--chdir", &[work_tree]);
    let mut command = Command::new(&inside.env.program);
    command.env_clear().envs(QUIET);
    command.env("PATH", inside.env.get("PATH").cloned().unwrap_or_default());
    command.args(["-c", &format!("core.excludesFile={IGNORE}")]);
    command.args(["-c", &format!("core.attributesFile={ATTRIBUTES}")]);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null");
    Ok((line, command))
}

/// An empty folder. Whatever is put over a file of the user's is gone from every box as soon as the user's git replaces
/// that file; what lies in a folder of the box's own is not.
const EMPTY: &str = "--tmpfs";

/// What is mounted how, from where and at which place; what lies in another folder comes after it.
fn mounts(
    inside: &Inside<'_>,
    objects: &Path,
) -> io::Result<Vec<(&'static str, PathBuf, PathBuf)>> {
    let Folders { work_tree, git_dir, common_dir } = inside.folders;
    let (shown, lent) = ("--ro-bind", "--bind");
    let same = |how: &'static str, path: &Path| (how, path.to_owned(), path.to_owned());
    let mut mounts = vec![
        same(if inside.touch == Touch::Writes { lent } else { shown }, work_tree),
        same(EMPTY, common_dir),
        same(if inside.incoming.is_some() { shown } else { lent }, objects),
    ];
    if !git_dir.starts_with(common_dir) {
        mounts.push(same(shown, git_dir));
    }
    let has_users_index = inside.index.is_none() && !WITHOUT_INDEX.contains(&inside.name);
    for entry in fs::read_dir(common_dir)? {
        let entry = entry?;
        let (place, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let is_shown = SHOWN.contains(&name.as_str())
            || name.starts_with(SHARED_INDEX)
            || name == "index" && has_users_index;
        match fs::read_link(&place) {
            Ok(target) if is_shown || name == "objects" => {
                mounts.push(("--symlink", target, place));
            }
            Err(_) if is_shown => mounts.push(same(shown, &place)),
            _ => {}
        }
    }
    mounts.extend(inside.incoming.map(|folder| same(lent, folder)));
    mounts.extend(links_out_of(common_dir).iter().map(|target| same(shown, target)));
    for store in borrowed(objects, BORROWED) {
        let real = fs::canonicalize(&store)?;
        if real == store || !store.starts_with(work_tree) {
            mounts.push((shown, real, store));
        }
    }
    let writable = inside.stores.iter().map(PathBuf::as_path).chain(inside.index);
    mounts.extend(writable.map(|folder| same(lent, folder)));
    mounts.sort_by_key(|(_, _, at)| (at.components().count(), at.clone()));
    Ok(mounts)
}

/// Git in an otherwise empty box says its version; `None` where boxes cannot be made or git cannot be shown in one.
pub(super) fn version(env: &GitEnv) -> Option<String> {
    let mut git = Command::new(&env.program);
    git.arg("version");
    let mut command = Line::new(env).around(&git).ok()?;
    let output = command.env("LC_ALL", "C").output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Every place must be what it was when it was found: a link in its stead leads elsewhere.
fn check(inside: &Inside<'_>, objects: &Path) -> io::Result<()> {
    let Folders { work_tree, git_dir, common_dir } = inside.folders;
    let places = [work_tree, git_dir, common_dir];
    for place in places.into_iter().chain(inside.index) {
        if fs::canonicalize(place)? != place {
            let what = format!("{} is no longer where it was", place.display());
            return Err(io::Error::other(what));
        }
    }
    let holds_more = |folder: &Path| places.iter().any(|place| place.starts_with(folder));
    let writable = inside.stores.iter().map(PathBuf::as_path).chain(inside.index);
    match writable.chain([objects]).find(|folder| holds_more(folder)) {
        Some(folder) => {
            let what = format!("{} holds more than git may write", folder.display());
            Err(io::Error::other(what))
        }
        None => Ok(()),
    }
}

/// Where entries of a git folder lead that are links: some tools keep parts of it elsewhere.
fn links_out_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let links = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
    let targets = links.filter_map(|link| fs::canonicalize(link.path()).ok());
    targets.filter(|target| !target.starts_with(folder)).collect()
}

/// Object stores that this one borrows from, and those that they borrow from.
fn borrowed(objects: &Path, depth: usize) -> Vec<PathBuf> {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
    let text = fs::read(objects.join("info/alternates")).unwrap_or_default();
    let mut found = Vec::new();
    for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let path = unquoted(line);
        let store = objects.join(OsStr::from_bytes(&path));
        if depth > 0 && !line.starts_with(b"#") && store.is_dir() {
            found.extend(borrowed(&store, depth - 1));
            found.push(store);
        }
    }
    found
}

/// A line of git's list of object stores: quoted where it holds anything unusual.
fn unquoted(line: &[u8]) -> Vec<u8> {
    let Some(inner) = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")) else {
        return line.to_vec();
    };
    let mut plain = Vec::new();
    let mut bytes = inner.iter();
    while let Some(byte) = bytes.next() {
        match (byte, if *byte == b'\\' { bytes.next() } else { None }) {
            (_, Some(b'n')) => plain.push(b'\n'),
            (_, Some(b't')) => plain.push(b'\t'),
            (_, Some(escaped)) => plain.push(*escaped),
            (byte, None) => plain.push(*byte),
        }
    }
    plain
}

/// A file that is nowhere on disk, holds this, and can only be read by whom it is handed to.
#[cfg(target_os = "linux")]
fn in_memory(content: &[u8]) -> io::Result<OwnedFd> {
    use std::io::{Seek as _, Write as _};

    use nix::{
        fcntl::{FcntlArg, SealFlag, fcntl},
        sys::memfd::{MFdFlags, memfd_create},
    };
    let fd = memfd_create("git", MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING)?;
    let mut file = fs::File::from(fd);
    file.write_all(content)?;
    file.rewind()?;
    let seals = SealFlag::F_SEAL_WRITE | SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW;
    fcntl(&file, FcntlArg::F_ADD_SEALS(seals | SealFlag::F_SEAL_SEAL))?;
    Ok(file.into())
}

/// There is no bubblewrap elsewhere, and so no box.
#[cfg(not(target_os = "linux"))]
fn in_memory(_: &[u8]) -> io::Result<OwnedFd> {
    Err(io::ErrorKind::Unsupported.into())
}
