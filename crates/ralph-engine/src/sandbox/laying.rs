//! Lays mounts in a mount namespace of this process's own, by descriptor: no link that somebody put on the way to a
//! place is ever followed.

use std::{
    ffi::OsStr,
    fs::{self, File, OpenOptions},
    io,
    os::{
        fd::{AsRawFd as _, OwnedFd},
        unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
    },
    path::{Component, Path, PathBuf},
};

use nix::{
    errno::Errno,
    fcntl::{OFlag, OpenHow, openat2},
    libc,
    mount::{MsFlags, mount},
    sched::{CloneFlags, unshare},
    sys::stat::{Mode, mkdirat},
    unistd::{Gid, Uid, symlinkat},
};

use super::lay::{Laid, ROOT, Spot};
use crate::{beneath::SAFE, unix};

const NOTHING: Option<&str> = None;
/// The program that runs now.
const OURSELVES: &str = "/proc/self/exe";
/// So often in a row may a file be replaced just before it is bound.
const REPLACED: usize = 20;

/// Makes all mounts, in order, in a namespace that this process and its children see.
pub(super) fn lay(laid: &[Laid]) -> io::Result<()> {
    let user = Uid::effective();
    enter_namespace(user)?;
    // Before anything covers them.
    let mounts = fs::read_to_string("/proc/self/mountinfo")?;
    let sources = laid.iter().map(|one| sources(one, &mounts)).collect::<io::Result<Vec<_>>>()?;
    for (one, source) in laid.iter().zip(sources) {
        put(one, &source, user).map_err(|error| named(one, &error))?;
    }
    Ok(())
}

fn enter_namespace(user: Uid) -> io::Result<()> {
    let group = Gid::effective();
    if user.is_root() {
        unshare(CloneFlags::CLONE_NEWNS)?;
    } else {
        unshare(CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWUSER)?;
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    }
    Ok(mount(NOTHING, "/", NOTHING, MsFlags::MS_REC | MsFlags::MS_SLAVE, NOTHING)?)
}

/// What a mount is made of.
enum Source {
    /// Something that is shown as it is, and the folder that it is in.
    File { fd: OwnedFd, folder: OwnedFd },
    /// The layers beneath, and where everything that is written goes, if anything can be.
    Layers { below: Vec<OwnedFd>, up: Option<OwnedFd>, work: Option<OwnedFd> },
    /// A folder, what is mounted in it by its path from there, and an empty folder.
    Veiled { fd: OwnedFd, inner: Vec<(PathBuf, OwnedFd)>, nothing: OwnedFd },
    /// The file of this program, unless it was removed.
    Ourselves(Option<OwnedFd>),
}

fn sources(one: &Laid, mounts: &str) -> io::Result<Source> {
    match one {
        Laid::Shown { from, .. } | Laid::Lent { from, .. } => {
            Ok(Source::File { fd: find(from)?, folder: find(&from.folder())? })
        }
        Laid::Layered { below, above, spare, .. } => {
            let (up, work) = (above.join("up"), above.join("work"));
            fs::create_dir_all(&up)?;
            fs::create_dir_all(&work)?;
            let (up, work) = (Some(open(&up)?), Some(open(&work)?));
            let is_bare = *spare && below.iter().all(|path| is_empty(path));
            let below = below.iter().filter(|_| !is_bare).map(|path| open(path));
            Ok(Source::Layers { below: below.collect::<io::Result<_>>()?, up, work })
        }
        Laid::Veiled { from, nothing, .. } => {
            let inner = mounted_in(&from.root.join(&from.below), mounts)?;
            Ok(Source::Veiled { fd: find(from)?, inner, nothing: open(nothing)? })
        }
        // The link itself leads to a mount of another namespace, which cannot be bound.
        Laid::Ourselves { .. } => Ok(Source::Ourselves(open(&fs::read_link(OURSELVES)?).ok())),
        Laid::Empty { .. } | Laid::Link { .. } => {
            Ok(Source::Layers { below: Vec::new(), up: None, work: None })
        }
    }
}

fn put(one: &Laid, source: &Source, user: Uid) -> io::Result<()> {
    match one {
        Laid::Shown { from, at } | Laid::Lent { from, at } => {
            show(from, source, at)?;
            if matches!(one, Laid::Shown { .. }) {
                unix::make_readonly(&laid_at(at)?)?;
            }
            Ok(())
        }
        Laid::Empty { at } => {
            // Held until it is mounted on: its number is its path.
            let place = make(at, Want::Folder)?;
            let at = by_number(&place);
            let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
            Ok(mount(Some("tmpfs"), &at, Some("tmpfs"), flags, Some("mode=0755"))?)
        }
        Laid::Link { to, at } => {
            let (parent, name) = parent(at)?;
            match symlinkat(to, &parent, name) {
                Err(Errno::EEXIST) => Ok(()),
                other => Ok(other?),
            }
        }
        Laid::Layered { at, spare, .. } => {
            let at = make(at, Want::Folder)?;
            let Source::Layers { below, up: Some(up), work: Some(work) } = source else {
                return Err(Errno::EINVAL.into());
            };
            // A layer over nothing says no more than the folder itself, and takes the kernel a while.
            if below.is_empty() {
                return bind(up, &at);
            }
            match overlay(&at, below.iter(), Some((up, work)), user) {
                // Not every file system can be a layer; an own cache that starts empty will do.
                Err(_) if *spare => bind(up, &at),
                other => other,
            }
        }
        Laid::Ourselves { at } => {
            let place = make(at, Want::File)?;
            let Source::Ourselves(Some(fd)) = source else {
                return copy_ourselves(&place);
            };
            bind(fd, &place)?;
            unix::make_readonly(&laid_at(at)?)
        }
        Laid::Veiled { at, .. } => {
            let Source::Veiled { fd, inner, nothing } = source else {
                return Err(Errno::EINVAL.into());
            };
            let place = make(at, Want::Folder)?;
            // Not every file system can be a layer; what has none is shown as it is.
            if overlay(&place, [fd, nothing].into_iter(), None, user).is_err() {
                bind(fd, &place)?;
            } else {
                let laid = laid_at(at)?;
                for (path, fd) in inner {
                    bind(fd, &beneath(&laid, path)?)?;
                }
            }
            unix::make_readonly(&laid_at(at)?)
        }
    }
}

/// Its file was replaced while it runs: what runs is the old one.
fn copy_ourselves(place: &OwnedFd) -> io::Result<()> {
    let path = by_number(place);
    fs::copy(OURSELVES, &path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

/// Whether a folder is known to hold nothing.
fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// What is mounted below a folder, outermost first: a layer does not have it.
fn mounted_in(folder: &Path, mounts: &str) -> io::Result<Vec<(PathBuf, OwnedFd)>> {
    let folder = fs::canonicalize(folder)?;
    let mut inner: Vec<PathBuf> = mounts
        .lines()
        .filter_map(|line| line.split(' ').nth(4))
        .filter_map(|place| {
            Path::new(&unescaped(place)).strip_prefix(&folder).ok().map(Path::to_owned)
        })
        .filter(|place| !place.as_os_str().is_empty())
        .collect();
    inner.sort();
    inner.dedup();
    // A bind takes along what is mounted in it.
    let mut outer: Vec<PathBuf> = Vec::new();
    for place in inner {
        if !outer.iter().any(|above| place.starts_with(above)) {
            outer.push(place);
        }
    }
    let found =
        outer.into_iter().filter_map(|place| Some((open(&folder.join(&place)).ok()?, place)));
    Ok(found.map(|(fd, place)| (place, fd)).collect())
}

/// The kernel writes spaces and the like as numbers.
fn unescaped(text: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .iter()
        .fold(text.to_owned(), |text, (written, meant)| text.replace(written, meant))
}

/// Binds something to its place. A git beside the run replaces files such as the index at any time: what is gone by
/// now is opened again, by its name in the folder that was opened before anything covered it.
fn show(from: &Spot, source: &Source, at: &Path) -> io::Result<()> {
    let Source::File { fd, folder } = source else { return Err(Errno::EINVAL.into()) };
    let place = make(at, Want::Like(fd))?;
    let mut bound = bind(fd, &place);
    for _ in 0..REPLACED {
        let is_gone = bound.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        let Some(name) = from.name().filter(|_| is_gone) else { break };
        bound = beneath(folder, Path::new(name)).and_then(|fd| bind(&fd, &place));
    }
    bound
}

fn bind(from: &OwnedFd, at: &OwnedFd) -> io::Result<()> {
    let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
    Ok(mount(Some(&by_number(from)), &by_number(at), NOTHING, flags, NOTHING)?)
}

/// Lays folders over a place, the first on top. By number: paths need no escaping then, and the list never grows too long
/// for the kernel.
fn overlay<'a>(
    at: &OwnedFd,
    below: impl Iterator<Item = &'a OwnedFd>,
    above: Option<(&OwnedFd, &OwnedFd)>,
    user: Uid,
) -> io::Result<()> {
    let below: Vec<String> = below.map(|fd| by_number(fd).display().to_string()).collect();
    let mut options = format!("lowerdir={}", below.join(":"));
    if let Some((up, work)) = above {
        let (up, work) = (by_number(up), by_number(work));
        options = format!("{options},upperdir={},workdir={}", up.display(), work.display());
    }
    if !user.is_root() {
        options.push_str(",userxattr");
    }
    let place = by_number(at);
    Ok(mount(Some("overlay"), &place, Some("overlay"), MsFlags::empty(), Some(&*options))?)
}

/// What must be at a place before something can be mounted there.
#[derive(Clone, Copy)]
enum Want<'a> {
    Folder,
    File,
    Like(&'a OwnedFd),
}

/// Opens a place; a folder or file to mount on is made where there is none.
fn make(at: &Path, want: Want<'_>) -> io::Result<OwnedFd> {
    if at.as_os_str().is_empty() {
        return open(Path::new(ROOT));
    }
    let (parent, name) = parent(at)?;
    let is_folder = match want {
        Want::Folder => true,
        Want::File => false,
        Want::Like(fd) => fs::metadata(by_number(fd))?.is_dir(),
    };
    match beneath(&parent, Path::new(name)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        other => return other,
    }
    if is_folder {
        mkdirat(&parent, name, Mode::from_bits_truncate(0o755))?;
    } else {
        let flags = OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_CLOEXEC | OFlag::O_WRONLY;
        let how = OpenHow::new().flags(flags).mode(Mode::from_bits_truncate(0o644)).resolve(SAFE);
        openat2(&parent, name, how)?;
    }
    beneath(&parent, Path::new(name))
}

/// The folder that a place is in, made where it is missing, and its name there.
fn parent(at: &Path) -> io::Result<(OwnedFd, &OsStr)> {
    let mut folder = open(Path::new(ROOT))?;
    let mut names = at.components().map(|part| match part {
        Component::Normal(name) => Ok(name),
        _ => Err(io::Error::from(Errno::EINVAL)),
    });
    let last = names.next_back().ok_or(Errno::EINVAL)??;
    for name in names {
        let name = name?;
        match mkdirat(&folder, name, Mode::from_bits_truncate(0o755)) {
            // Only to be entered: whether it can be written does not matter if it is there.
            Ok(()) | Err(Errno::EEXIST | Errno::EROFS | Errno::EACCES) => {}
            Err(error) => return Err(error.into()),
        }
        folder = beneath(&folder, Path::new(name))?;
    }
    Ok((folder, last))
}

fn beneath(folder: &OwnedFd, path: &Path) -> io::Result<OwnedFd> {
    let how = OpenHow::new().flags(OFlag::O_PATH | OFlag::O_CLOEXEC).resolve(SAFE);
    Ok(openat2(folder, path, how)?)
}

/// What is laid at a place, itself.
fn laid_at(at: &Path) -> io::Result<OwnedFd> {
    beneath(&open(Path::new(ROOT))?, at)
}

fn find(spot: &Spot) -> io::Result<OwnedFd> {
    let root = open(&spot.root)?;
    if spot.below.as_os_str().is_empty() { Ok(root) } else { beneath(&root, &spot.below) }
}

fn open(path: &Path) -> io::Result<OwnedFd> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path);
    let named = |error| io::Error::other(format!("{}: {error}", path.display()));
    file.map(|file: File| OwnedFd::from(file)).map_err(named)
}

fn by_number(fd: &OwnedFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", fd.as_raw_fd()))
}

fn named(one: &Laid, error: &io::Error) -> io::Error {
    let at = match one {
        Laid::Shown { at, .. }
        | Laid::Lent { at, .. }
        | Laid::Empty { at }
        | Laid::Link { at, .. }
        | Laid::Layered { at, .. }
        | Laid::Ourselves { at }
        | Laid::Veiled { at, .. } => at,
    };
    io::Error::other(format!("/{}: {error}", at.display()))
}
