//! Folders by descriptor: the way to what lies in them is walked by the kernel without following links and without
//! leaving them, whatever somebody put there.

use std::{
    ffi::OsStr,
    fs::{self, OpenOptions, Permissions},
    io,
    os::{
        fd::{AsRawFd as _, OwnedFd},
        unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
    },
    path::{Path, PathBuf},
};

use nix::{
    fcntl::{OFlag, OpenHow, ResolveFlag, openat2},
    libc,
};

/// No links, no way out; mounts may be crossed.
pub(crate) const SAFE: ResolveFlag = ResolveFlag::RESOLVE_BENEATH
    .union(ResolveFlag::RESOLVE_NO_SYMLINKS)
    .union(ResolveFlag::RESOLVE_NO_MAGICLINKS);

/// A folder that is held open.
#[derive(Debug)]
pub(crate) struct Folder(OwnedFd);

impl Folder {
    /// A folder of ralph's or the user's own; links on the way to it are theirs.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let flags = libc::O_PATH | libc::O_DIRECTORY;
        let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
        Ok(Self(file.into()))
    }

    /// A folder below this one; empty is this one.
    pub(crate) fn below(&self, path: &Path) -> io::Result<Self> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        Ok(Self(openat2(&self.0, path, OpenHow::new().flags(flags).resolve(SAFE))?))
    }

    /// The same, with every folder made that is missing on the way.
    pub(crate) fn made_below(&self, path: &Path) -> io::Result<Self> {
        match self.below(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            other => return other,
        }
        let parent = self.made_below(path.parent().unwrap_or(Path::new("")))?;
        let name = path.file_name().unwrap_or_default();
        match fs::create_dir(parent.at(name)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        parent.below(Path::new(name))
    }

    /// A path that means this folder as long as it is held open.
    pub(crate) fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.0.as_raw_fd()))
    }

    /// A path for one name in it. What is there may be a link.
    pub(crate) fn at(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.path().join(name.as_ref())
    }

    /// Its entries; a folder that its owner may not read is opened up first, so that nothing can hide in it.
    pub(crate) fn entries(&self) -> io::Result<Vec<fs::DirEntry>> {
        self.open_up()?;
        fs::read_dir(self.path())?.collect()
    }

    /// Gives its owner every right to it.
    pub(crate) fn open_up(&self) -> io::Result<()> {
        let mode = fs::metadata(self.path())?.permissions().mode();
        if mode & 0o700 == 0o700 {
            return Ok(());
        }
        fs::set_permissions(self.path(), Permissions::from_mode(mode | 0o700))
    }
}
