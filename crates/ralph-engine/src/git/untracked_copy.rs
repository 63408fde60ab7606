//! Files that are in no commit, such as installed packages: brought into a copy so that things can be built there.
//!
//! Bounded: what does not fit is left out whole. Must never follow a symbolic link nor overwrite anything.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io,
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use nix::fcntl::OFlag;

use super::{
    binding::Git,
    error::GitError,
    files::{RelPath, is_ralphs, named, on_disk, split_nul},
    obstructions::is_behind_link,
};

/// So many paths are named.
const SAMPLE: usize = 5;

/// The most that is brought along.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) bytes: u64,
    pub(crate) files: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 300 << 20, files: 20_000 }
    }
}

/// From where to where.
pub(crate) struct Way<'a> {
    pub(crate) from: &'a Path,
    pub(crate) to: &'a Path,
    pub(crate) limits: Limits,
}

/// What came along, and what a person should know about the rest.
#[derive(Debug, Default)]
pub(crate) struct Brought {
    pub(crate) paths: Vec<RelPath>,
    pub(crate) notes: Vec<String>,
}

/// Files of the worktree `from` that the index of `git` does not know; folders of them are named once.
pub(crate) fn list(git: &Git, from: &Path) -> Result<Vec<RelPath>, GitError> {
    let call = git.call(&["ls-files", "--others", "--directory", "-z"]).dir(from).reads();
    let out = call.ok()?;
    Ok(split_nul(&out).filter(|path| !is_ralphs(path)).map(trimmed).collect())
}

/// Copies files and folders, the small ones first, as long as they fit.
pub(crate) fn bring(paths: Vec<RelPath>, way: &Way<'_>) -> Brought {
    let mut brought = Brought::default();
    let mut sized: Vec<(Size, RelPath)> = Vec::new();
    let (mut large, mut broken) = (BTreeSet::new(), BTreeSet::new());
    // Behind a link lies what is not the worktree's, whoever named the path.
    let is_here = |path: &RelPath| is_free(way.to, path) && !is_behind_link(way.from, path);
    for path in paths.into_iter().filter(is_here) {
        match Size::measure(&on_disk(way.from, &path), way.limits) {
            Ok(Some(size)) => sized.push((size, path)),
            Ok(None) => drop(large.insert(path)),
            Err(_) => drop(broken.insert(path)),
        }
    }
    sized.sort();
    let mut total = Size::default();
    for (size, path) in sized {
        if !total.plus(size).fits(way.limits) {
            large.insert(path);
            continue;
        }
        total = total.plus(size);
        if copy_to(way, &path).is_err() {
            broken.insert(path.clone());
        }
        brought.paths.push(path);
    }
    let mut note = |paths: &BTreeSet<RelPath>, what: &str| {
        if !paths.is_empty() {
            brought.notes.push(format!("{what}: {}", named(paths, SAMPLE)));
        }
    };
    note(&large, "not in the copy, because too large");
    note(&broken, "incomplete in the copy, because it could not be read");
    brought
}

fn trimmed(path: &[u8]) -> RelPath {
    path.strip_suffix(b"/").unwrap_or(path).to_vec()
}

/// Nothing stands there but perhaps the empty folder of a submodule, and no link leads elsewhere.
fn is_free(to: &Path, path: &[u8]) -> bool {
    if is_behind_link(to, path) {
        return false;
    }
    let place = on_disk(to, path);
    match fs::symlink_metadata(&place) {
        Ok(entry) if entry.is_dir() => {
            fs::read_dir(&place).is_ok_and(|mut entries| entries.next().is_none())
        }
        Ok(_) => false,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// How much there is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Size {
    bytes: u64,
    files: u64,
}

impl Size {
    /// `None` as soon as it is too much.
    fn measure(path: &Path, limits: Limits) -> io::Result<Option<Self>> {
        let device = fs::symlink_metadata(path)?.dev();
        let mut size = Self::default();
        let mut rest = vec![path.to_owned()];
        while let Some(path) = rest.pop() {
            let entry = fs::symlink_metadata(&path)?;
            if device != entry.dev() {
                continue;
            }
            size.files += 1;
            size.bytes += if entry.is_file() { entry.len() } else { 0 };
            if !size.fits(limits) {
                return Ok(None);
            }
            if entry.is_dir() {
                rest.extend(children(&path)?);
            }
        }
        Ok(Some(size))
    }

    fn plus(self, other: Self) -> Self {
        Self { bytes: self.bytes + other.bytes, files: self.files + other.files }
    }

    fn fits(self, limits: Limits) -> bool {
        self.bytes <= limits.bytes && self.files <= limits.files
    }
}

/// What is in a folder, apart from a repository's own data.
fn children(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    let is_repository = |entry: &fs::DirEntry| entry.file_name().eq_ignore_ascii_case(".git");
    Ok(entries.iter().filter(|entry| !is_repository(entry)).map(fs::DirEntry::path).collect())
}

/// Copies as much as it can; the first failure is the error.
fn copy_to(way: &Way<'_>, path: &RelPath) -> io::Result<()> {
    let (from, to) = (on_disk(way.from, path), on_disk(way.to, path));
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    let device = fs::symlink_metadata(&from)?.dev();
    let mut first = Ok(());
    let mut rest = vec![(from, to)];
    while let Some((from, to)) = rest.pop() {
        let entry = fs::symlink_metadata(&from)?;
        if entry.dev() != device {
            continue;
        }
        let copied = if entry.is_dir() {
            make_folder(&to, &entry).and_then(|()| {
                let inside = children(&from)?;
                rest.extend(inside.into_iter().map(|path| {
                    let name = path.file_name().unwrap_or_default().to_owned();
                    (path, to.join(name))
                }));
                Ok(())
            })
        } else {
            copy_file(&from, &to, &entry)
        };
        first = first.and(copied);
    }
    first
}

fn make_folder(to: &Path, entry: &fs::Metadata) -> io::Result<()> {
    match fs::create_dir(to) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => {
            let mode = entry.permissions().mode() & 0o777 | 0o700;
            fs::set_permissions(to, fs::Permissions::from_mode(mode))
        }
    }
}

/// Build tools compare times: a copied file is as old as the original.
fn copy_file(from: &Path, to: &Path, entry: &fs::Metadata) -> io::Result<()> {
    if entry.is_symlink() {
        return std::os::unix::fs::symlink(fs::read_link(from)?, to);
    }
    if !entry.is_file() {
        return Ok(());
    }
    let mut source =
        File::options().read(true).custom_flags(OFlag::O_NOFOLLOW.bits()).open(from)?;
    let mut target = File::options().write(true).create_new(true).open(to)?;
    io::copy(&mut source, &mut target)?;
    target.set_permissions(fs::Permissions::from_mode(entry.permissions().mode() & 0o777))?;
    target.set_modified(entry.modified()?)
}
