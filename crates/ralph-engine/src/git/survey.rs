//! Finds what is or could be a repository below a worktree, and what else git must not come across there.
//!
//! Never follows a symbolic link, and never lets a name that is too long end it.

use std::{
    collections::BTreeSet,
    fs, io,
    os::unix::{
        ffi::OsStrExt as _,
        fs::{MetadataExt as _, PermissionsExt as _},
    },
    path::Path,
};

use ralph_text::fingerprint::digest;
use serde::{Deserialize, Serialize};

use super::{
    error::GitError,
    files::{RelPath, child, is_ralphs, on_disk},
};
use crate::project_file;

/// What the system says of a path that is too long.
const TOO_LONG: i32 = nix::errno::Errno::ENAMETOOLONG as i32;

/// Without these a folder is no repository.
pub(crate) const PARTS: [&str; 3] = ["HEAD", "commondir", "objects"];

/// One repository and what tells it from a replacement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct DotGit {
    pub(crate) path: RelPath,
    inode: u64,
    kind: EntryKind,
    /// Device numbers change when a machine starts again; whether two files share one does not.
    shares_device: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum EntryKind {
    File,
    Folder,
    Link,
    Other,
    /// No `.git`, but a folder that is a repository by what is in it.
    Bare,
}

/// Files of a worktree that git itself reads, in whatever folder.
const READ_BY_GIT: &[&[u8]] = &[b".gitignore", b".gitattributes", b".gitmodules", b".mailmap"];

/// What was found below a worktree.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) repositories: Vec<DotGit>,
    /// What stands in the place of a file that git reads and is none: git would wait for ever at a pipe.
    pub(crate) pipes: Vec<RelPath>,
    /// Folders in which everything lies too deep to have a name that can be used.
    pub(crate) deep: BTreeSet<RelPath>,
}

/// Finds every repository below `root`.
pub(crate) fn survey(root: &Path) -> Result<Vec<DotGit>, GitError> {
    Ok(look(root)?.repositories)
}

/// Whether git takes a folder for a repository by what is in it. It asks whether `objects` and `refs` can be entered,
/// and a file that can be started passes; what does not pass yet may do so after the next change of a mode or a target.
pub(crate) fn is_bare(folder: &Path) -> bool {
    let is_there = |name: &str| fs::symlink_metadata(folder.join(name)).is_ok();
    fs::symlink_metadata(folder.join("HEAD")).is_ok_and(|head| !head.is_dir())
        && (is_there("objects") && is_there("refs") || is_there("commondir"))
}

/// Finds every repository, and what else git must not come across.
pub(crate) fn look(root: &Path) -> Result<Found, GitError> {
    let fail = |path: &Path| GitError::io(format!("cannot read {}", path.display()));
    let device = fs::symlink_metadata(root).map_err(fail(root))?.dev();
    let mut found = Found::default();
    let mut folders: Vec<RelPath> = vec![Vec::new()];
    while let Some(folder) = folders.pop() {
        let place = on_disk(root, &folder);
        let entries = match read_dir(&place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !folder.is_empty() => continue,
            Err(error) if error.raw_os_error() == Some(TOO_LONG) && !folder.is_empty() => {
                found.deep.insert(half_way(&folder));
                continue;
            }
            other => other.map_err(fail(&place))?,
        };
        let mut has_head = false;
        for entry in entries {
            let entry = entry.map_err(fail(&place))?;
            let name = entry.file_name();
            let path = child(&folder, &name);
            has_head |= name.as_bytes().eq_ignore_ascii_case(b"HEAD");
            if name.as_bytes().eq_ignore_ascii_case(b".git") {
                match entry.metadata() {
                    Ok(about) => found.repositories.push(DotGit::new(path, &about, device)),
                    Err(error) if error.raw_os_error() == Some(TOO_LONG) => {
                        found.deep.insert(half_way(&folder));
                    }
                    Err(error) => return Err(fail(&place)(error)),
                }
                continue;
            }
            let Some(kind) = entry.file_type().ok().filter(|_| !is_ralphs(&path)) else { continue };
            let is_plain = kind.is_file() || kind.is_symlink();
            if kind.is_dir() {
                folders.push(path);
            } else if !is_plain && READ_BY_GIT.contains(&name.as_bytes()) {
                found.pipes.push(path);
            }
        }
        if has_head && !folder.is_empty() && is_bare(&place) {
            found.repositories.push(DotGit::bare(&folder, &place));
        }
    }
    found.repositories.sort();
    Ok(found)
}

/// The folder half way down to one that is too deep: nothing that a tree holds lies there.
fn half_way(folder: &[u8]) -> RelPath {
    let half = folder.len() / 2;
    let end = folder[half..].iter().position(|byte| *byte == b'/');
    folder[..end.map_or(folder.len(), |end| half + end)].to_vec()
}

impl DotGit {
    fn new(path: RelPath, metadata: &fs::Metadata, device: u64) -> Self {
        let kind = match metadata.file_type() {
            kind if kind.is_symlink() => EntryKind::Link,
            kind if kind.is_dir() => EntryKind::Folder,
            kind if kind.is_file() => EntryKind::File,
            _ => EntryKind::Other,
        };
        Self { path, inode: metadata.ino(), kind, shares_device: metadata.dev() == device }
    }

    /// A folder that is one by its content. What it is told by is its configuration: trees bring the files anew.
    fn bare(folder: &[u8], place: &Path) -> Self {
        let read = |name: &str| told(&place.join(name));
        let digest = digest(&[&read("config"), &read("commondir")]);
        let inode = u64::from_str_radix(&digest[..16], 16).unwrap_or_default();
        let path = [folder, b"/HEAD"].concat();
        Self { path, inode, kind: EntryKind::Bare, shares_device: true }
    }

    /// No `.git` makes it one.
    pub(crate) fn is_bare(&self) -> bool {
        self.kind == EntryKind::Bare
    }

    /// The folder that is a repository because of it.
    pub(crate) fn folder(&self) -> &[u8] {
        let end = self.path.iter().rposition(|byte| *byte == b'/').unwrap_or_default();
        &self.path[..end]
    }

    pub(crate) fn is_same_file(&self, other: &Self) -> bool {
        (self.inode, self.kind, self.shares_device)
            == (other.inode, other.kind, other.shares_device)
    }
}

/// What a file says, or where a link leads; nothing is read through it, and no device is.
fn told(path: &Path) -> Vec<u8> {
    let link = fs::read_link(path).map(|target| target.into_os_string().into_encoded_bytes());
    link.or_else(|_| project_file::read(path, project_file::LARGEST_TEXT)).unwrap_or_default()
}

/// Reads a folder; one that its owner may not read is opened up first, so that nothing can hide in it.
fn read_dir(folder: &Path) -> io::Result<fs::ReadDir> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let mode = fs::symlink_metadata(folder)?.permissions().mode();
            fs::set_permissions(folder, fs::Permissions::from_mode(mode | 0o700))?;
            fs::read_dir(folder)
        }
        other => other,
    }
}
