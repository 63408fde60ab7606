//! Every `.git` entry below the worktree: the ones recorded at open, and any other, which is moved away.
//!
//! Must run before git looks at a tree that an agent could write; never follows a symbolic link.

use std::{
    collections::BTreeSet,
    fs, io,
    os::unix::{
        ffi::OsStrExt as _,
        fs::{MetadataExt as _, PermissionsExt as _},
    },
    path::Path,
};

use serde::{Deserialize, Serialize};

use super::{
    aside::Aside,
    command::Git,
    error::GitError,
    files::{RelPath, is_ralphs, is_within, join_nul, on_disk, shown, split_nul},
};

/// One `.git` entry and what tells it from a replacement.
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
}

/// Files of a worktree that git itself reads, in whatever folder.
const READ_BY_GIT: &[&[u8]] = &[b".gitignore", b".gitattributes", b".gitmodules", b".mailmap"];

/// What a sweep found and did.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Swept {
    /// Repositories that were moved away, by the folder they were in.
    pub(crate) moved: Vec<String>,
    pub(crate) notes: Vec<String>,
}

/// Finds every `.git` entry below `root`.
pub(crate) fn survey(root: &Path) -> Result<Vec<DotGit>, GitError> {
    Ok(look(root)?.0)
}

/// Finds every `.git` entry, and everything in the place of a file that git reads which is none: git would wait for
/// ever at a pipe.
fn look(root: &Path) -> Result<(Vec<DotGit>, Vec<RelPath>), GitError> {
    let fail = |path: &Path| GitError::io(format!("cannot read {}", path.display()));
    let device = fs::symlink_metadata(root).map_err(fail(root))?.dev();
    let (mut found, mut pipes) = (Vec::new(), Vec::new());
    let mut folders: Vec<RelPath> = vec![Vec::new()];
    while let Some(folder) = folders.pop() {
        let place = on_disk(root, &folder);
        let entries = match read_dir(&place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !folder.is_empty() => continue,
            other => other.map_err(fail(&place))?,
        };
        for entry in entries {
            let entry = entry.map_err(fail(&place))?;
            let name = entry.file_name();
            let mut path = folder.clone();
            if !path.is_empty() {
                path.push(b'/');
            }
            path.extend_from_slice(name.as_bytes());
            if name.as_bytes().eq_ignore_ascii_case(b".git") {
                let metadata = entry.metadata().map_err(fail(&place))?;
                found.push(DotGit::new(path, &metadata, device));
                continue;
            }
            let Some(kind) = entry.file_type().ok().filter(|_| !is_ralphs(&path)) else { continue };
            let is_plain = kind.is_file() || kind.is_symlink();
            if kind.is_dir() {
                folders.push(path);
            } else if !is_plain && READ_BY_GIT.contains(&name.as_bytes()) {
                pipes.push(path);
            }
        }
    }
    found.sort();
    Ok((found, pipes))
}

/// Moves away every `.git` entry that is not one of `recorded`, and puts moved ones back in place.
///
/// Builds fetch sources into ignored folders, where git never looks: repositories there may stay.
pub(crate) fn sweep(
    git: &Git,
    root: &Path,
    recorded: &[DotGit],
    submodules: &[RelPath],
    aside: &Aside,
) -> Result<Swept, GitError> {
    let (found, pipes) = look(root)?;
    let mut swept = Swept::default();
    for path in pipes {
        aside.take(&on_disk(root, &path))?;
        swept.notes.push(format!("{} was no file; it was moved away", shown(&path)));
    }
    if found == recorded {
        return Ok(swept);
    }
    check_root(root, recorded, &found)?;
    let strangers: Vec<&DotGit> = found.iter().filter(|entry| !recorded.contains(entry)).collect();
    let is_outside = |folder: &[u8]| !submodules.iter().any(|module| is_within(folder, module));
    let folders = strangers.iter().map(|entry| entry.folder().to_vec());
    let folders: Vec<RelPath> = folders.filter(|folder| is_outside(folder)).collect();
    let harmless = ignored(git, &folders)?;
    let mut away = Vec::new();
    for stranger in strangers {
        if !harmless.contains(stranger.folder()) {
            away.push((stranger, aside.take(&on_disk(root, &stranger.path))?));
        }
    }
    // Only now is every place free that one of the recorded may have to come back to.
    for (stranger, went_to) in away {
        let folder = shown(stranger.folder());
        let home = recorded.iter().find(|known| known.is_same_file(stranger));
        let is_home = home.is_some_and(|known| {
            let place = on_disk(root, &known.path);
            fs::symlink_metadata(&place).is_err() && fs::rename(&went_to, &place).is_ok()
        });
        if !is_home {
            let place = went_to.display();
            swept.notes.push(format!("the repository in {folder} was moved to {place}"));
        }
        swept.moved.push(folder);
    }
    let after = survey(root)?;
    for known in recorded.iter().filter(|known| !after.contains(known)) {
        swept.notes.push(format!("{} is no longer a repository", shown(known.folder())));
    }
    Ok(swept)
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

    /// The folder that is a repository because of it.
    pub(crate) fn folder(&self) -> &[u8] {
        let name = self.path.len().saturating_sub(b"/.git".len());
        &self.path[..name]
    }

    fn is_same_file(&self, other: &Self) -> bool {
        (self.inode, self.kind, self.shares_device)
            == (other.inode, other.kind, other.shares_device)
    }
}

/// Without its own `.git`, nothing can be done in a worktree, and nothing must be guessed.
fn check_root(root: &Path, recorded: &[DotGit], found: &[DotGit]) -> Result<(), GitError> {
    let own = |entries: &[DotGit]| entries.iter().find(|entry| entry.folder().is_empty()).cloned();
    match (own(recorded), own(found)) {
        (Some(known), Some(now)) if known == now => Ok(()),
        (Some(_), None) => {
            Err(GitError::Damaged { what: format!("{}/.git is gone", root.display()) })
        }
        _ => Err(GitError::Damaged {
            what: format!("{}/.git is not the one the run began with", root.display()),
        }),
    }
}

/// Which of these folders git ignores. Reads the index and ignore files only, nothing of a nested repository.
fn ignored(git: &Git, folders: &[RelPath]) -> Result<BTreeSet<RelPath>, GitError> {
    if folders.is_empty() {
        return Ok(BTreeSet::new());
    }
    let call = git.call(&["check-ignore", "-z", "--stdin"]).reads().stdin(join_nul(folders));
    let reply = call.run()?;
    match reply.code {
        0 | 1 => Ok(split_nul(&reply.stdout).map(<[u8]>::to_vec).collect()),
        _ => Err(reply.error("check-ignore")),
    }
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
