//! What somebody wrote over a worktree: the upper folder of the kernel's layers, read entry by entry.
//!
//! Never follows a link in it. What is in it is as hostile as its writer.

use std::{
    ffi::OsStr,
    fs, io,
    os::unix::{
        ffi::OsStrExt as _,
        fs::{FileTypeExt as _, MetadataExt as _},
    },
    path::{Path, PathBuf},
};

use super::{
    files::{RelPath, child, folders_of, free_place, is_ralphs},
    replace::is_same,
};
use crate::{beneath::Folder, remove::remove_all};

/// Paths that are longer or deeper, nobody can check out or wants to.
const LONGEST: usize = 4_000;
const DEEPEST: usize = 100;

/// How the kernel notes that a folder hides what lies below it: for root, and for others.
const OPAQUE: [&str; 2] = ["trusted.overlay.opaque", "user.overlay.opaque"];

/// The upper folder of one layer.
pub(crate) struct Layer {
    folder: Folder,
    /// Where things go that must leave it and are kept.
    beside: PathBuf,
}

/// One thing in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) path: RelPath,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Link,
    /// With `hides`, nothing of the folder below it is seen.
    Folder {
        hides: bool,
    },
    /// What was there is not any more.
    Gone,
    /// A pipe, a socket, a device.
    Other,
}

impl Layer {
    /// The layer, if anything was ever written.
    pub(crate) fn open(up: &Path) -> io::Result<Option<Self>> {
        match Folder::open(up) {
            Ok(folder) => {
                folder.open_up()?;
                let beside = up.with_file_name("kept");
                Ok(Some(Self { folder, beside }))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// What is in one of its folders, in order; what is ralph's own at the top, and what is too long or too deep for
    /// anybody, is left out.
    pub(crate) fn entries(&self, folder: &[u8]) -> io::Result<Vec<Entry>> {
        let place = self.folder.below(Path::new(OsStr::from_bytes(folder)))?;
        let mut found = Vec::new();
        for entry in place.entries()? {
            let name = entry.file_name();
            let path = child(folder, &name);
            let is_usable = path.len() <= LONGEST && folders_of(&path).count() < DEEPEST;
            if is_ralphs(&path) || path == b".git" || !is_usable {
                continue;
            }
            found.push(Entry { kind: kind(&place.at(&name))?, path });
        }
        found.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(found)
    }

    /// The folder that an entry is in, and its name there.
    pub(crate) fn place<'a>(&self, path: &'a [u8]) -> io::Result<(Folder, &'a OsStr)> {
        let (parent, name) = split(path);
        Ok((self.folder.below(parent)?, name))
    }

    /// Whether the very same lies at this place already.
    pub(crate) fn is_same(&self, entry: &Entry, place: &Path) -> io::Result<bool> {
        let (from, name) = self.place(&entry.path)?;
        is_same(place, &from.at(name))
    }

    /// Whether something is there, and not only a mark.
    pub(crate) fn has(&self, path: &[u8]) -> bool {
        let found = self.place(path).and_then(|(place, name)| kind(&place.at(name)));
        found.is_ok_and(|kind| kind != Kind::Gone)
    }

    /// Where what was brought over is kept until its tree is known.
    pub(crate) fn brought(up: &Path) -> PathBuf {
        up.with_file_name("brought")
    }

    /// Moves a file or link that was brought over there.
    pub(crate) fn keep(&self, path: &[u8]) -> io::Result<()> {
        let (place, name) = self.place(path)?;
        let (parent, _) = split(path);
        let to = self.beside.with_file_name("brought").join(parent);
        fs::create_dir_all(&to)?;
        fs::rename(place.at(name), to.join(name))
    }

    /// Takes a file, a link or a mark out of it.
    pub(crate) fn drop(&self, path: &[u8]) -> io::Result<()> {
        let (place, name) = self.place(path)?;
        fs::remove_file(place.at(name))
    }

    /// Removes an entry whatever is in it.
    pub(crate) fn drop_all(&self, path: &[u8]) -> io::Result<()> {
        let (place, name) = self.place(path)?;
        remove_all(&place.at(name))
    }

    /// Takes a file or link back that was taken out of it.
    pub(crate) fn take_back(&self, path: &[u8], from: &Path) -> io::Result<()> {
        let (place, name) = self.place(path)?;
        match fs::read_link(from) {
            Ok(leads_to) => std::os::unix::fs::symlink(leads_to, place.at(name))?,
            Err(_) => drop(fs::copy(from, place.at(name))?),
        }
        fs::remove_file(from)
    }

    /// Moves an entry out of it to where it is kept, and tells where that is.
    pub(crate) fn set_aside(&self, path: &[u8]) -> io::Result<PathBuf> {
        fs::create_dir_all(&self.beside)?;
        let (place, name) = self.place(path)?;
        let shown = name.to_string_lossy();
        let shown = shown.trim_matches('.');
        let target = free_place(|number| self.beside.join(format!("{number:04}-{shown}")));
        fs::rename(place.at(name), &target)?;
        Ok(target)
    }

    /// Folders whose contents were taken out, the outer before the inner: they no longer hide anything, and those that
    /// are empty leave.
    pub(crate) fn tidy(&self, folders: &[RelPath]) -> io::Result<()> {
        let mut inside = folders.iter().rev().filter(|folder| !folder.is_empty());
        inside.try_for_each(|folder| self.tidy_one(folder))
    }

    fn tidy_one(&self, folder: &[u8]) -> io::Result<()> {
        let (place, name) = self.place(folder)?;
        let path = place.at(name);
        for mark in OPAQUE {
            let _ = rustix::fs::lremovexattr(&path, mark);
        }
        match fs::remove_dir(&path) {
            Err(error) if error.kind() != io::ErrorKind::DirectoryNotEmpty => Err(error),
            _ => Ok(()),
        }
    }
}

/// The folder and the name of a path.
pub(crate) fn split(path: &[u8]) -> (&Path, &OsStr) {
    let path = Path::new(OsStr::from_bytes(path));
    (path.parent().unwrap_or(Path::new("")), path.file_name().unwrap_or_default())
}

fn kind(path: &Path) -> io::Result<Kind> {
    let entry = fs::symlink_metadata(path)?;
    let kind = entry.file_type();
    Ok(if kind.is_dir() {
        Kind::Folder { hides: OPAQUE.iter().any(|mark| is_set(path, mark)) }
    } else if kind.is_file() {
        Kind::File
    } else if kind.is_symlink() {
        Kind::Link
    } else if kind.is_char_device() && entry.rdev() == 0 {
        Kind::Gone
    } else {
        Kind::Other
    })
}

fn is_set(path: &Path, mark: &str) -> bool {
    let mut value = [0; 1];
    rustix::fs::lgetxattr(path, mark, &mut value).is_ok_and(|length| length == 1) && value == *b"y"
}
