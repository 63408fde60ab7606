//! The one way to write a file whole: whoever looks, now or after a crash, finds the old content or the new one.
//!
//! The content goes to a new file in the same folder, is synced and renamed into place, and the folder is synced.
//! No other file of ralph renames in order to write; a house rule checks that.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Write as _},
    os::fd::{AsFd, BorrowedFd},
    path::Path,
    sync::atomic::{AtomicU32, Ordering},
};

use nix::{
    errno::Errno,
    fcntl::{AtFlags, OFlag, openat, renameat},
    sys::stat::{Mode, fstatat},
    unistd::{UnlinkatFlags, fsync, linkat, unlinkat},
};

/// How the names of files begin that are still being written.
pub(crate) const UNFINISHED: &str = ".ralph-new-";

/// Who may read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Its user only.
    Private,
    /// Everybody, as far as the user's umask allows.
    Shared,
}

impl Access {
    fn mode(self) -> Mode {
        match self {
            Self::Private => Mode::from_bits_truncate(0o600),
            Self::Shared => Mode::from_bits_truncate(0o644),
        }
    }
}

/// Writes a file in a folder that is there, in place of whatever file or link has its name.
pub fn replace(path: &Path, content: &[u8], access: Access) -> io::Result<()> {
    let (folder, name) = open_parent(path)?;
    replace_in(&folder, name, content, access)
}

/// Writes a file only if nothing has its name; says whether it did.
pub fn create(path: &Path, content: &[u8], access: Access) -> io::Result<bool> {
    let (folder, name) = open_parent(path)?;
    create_in(&folder, name, content, access)
}

/// [`replace`] in a folder that is held open.
pub(crate) fn replace_in(
    folder: impl AsFd,
    name: &OsStr,
    content: &[u8],
    access: Access,
) -> io::Result<()> {
    let folder = folder.as_fd();
    let mut new = Unfinished::write(folder, content, access)?;
    new.file.sync_all()?;
    new.rename_to(name)?;
    Ok(fsync(folder)?)
}

/// [`create`] in a folder that is held open.
pub(crate) fn create_in(
    folder: impl AsFd,
    name: &OsStr,
    content: &[u8],
    access: Access,
) -> io::Result<bool> {
    let folder = folder.as_fd();
    let mut new = Unfinished::write(folder, content, access)?;
    new.file.sync_all()?;
    let is_created = new.link_to(name)?;
    fsync(folder)?;
    Ok(is_created)
}

/// [`replace`] without waiting for the disk: for what is compared and made again before each use.
pub(crate) fn replace_unsynced(path: &Path, content: &[u8], access: Access) -> io::Result<()> {
    let (folder, name) = open_parent(path)?;
    Unfinished::write(folder.as_fd(), content, access)?.rename_to(name)
}

/// Makes it durable which names a folder holds.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

fn open_parent(path: &Path) -> io::Result<(File, &OsStr)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    Ok((File::open(path.parent().unwrap_or(path))?, name))
}

/// A new file under a name of its own, which is removed when this is dropped.
struct Unfinished<'a> {
    folder: BorrowedFd<'a>,
    /// Empty once the file has another.
    name: String,
    file: File,
}

impl<'a> Unfinished<'a> {
    fn write(folder: BorrowedFd<'a>, content: &[u8], access: Access) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_CLOEXEC;
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("{UNFINISHED}{}-{number}", std::process::id());
            match openat(folder, name.as_str(), flags, access.mode()) {
                // A process that was killed left it, or one in another namespace has the same number.
                Err(Errno::EEXIST) => {}
                opened => {
                    let mut new = Self { folder, name, file: opened?.into() };
                    new.file.write_all(content)?;
                    return Ok(new);
                }
            }
        }
    }

    fn rename_to(&mut self, name: &OsStr) -> io::Result<()> {
        renameat(self.folder, self.name.as_str(), self.folder, name)?;
        self.name.clear();
        Ok(())
    }

    /// Gives the file this name if nothing else has it.
    fn link_to(&mut self, name: &OsStr) -> io::Result<bool> {
        let own = self.name.as_str();
        match linkat(self.folder, own, self.folder, name, AtFlags::empty()) {
            Ok(()) => Ok(true),
            Err(Errno::EEXIST) => Ok(false),
            // A file system without hard links.
            Err(Errno::EPERM | Errno::EOPNOTSUPP) => {
                match fstatat(self.folder, name, AtFlags::AT_SYMLINK_NOFOLLOW) {
                    Err(Errno::ENOENT) => self.rename_to(name).map(|()| true),
                    other => Ok(other.map(|_| false)?),
                }
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if !self.name.is_empty() {
            let _ = unlinkat(self.folder, self.name.as_str(), UnlinkatFlags::NoRemoveDir);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        os::unix::fs::{PermissionsExt as _, symlink},
    };

    use super::*;

    fn names(folder: &Path) -> io::Result<Vec<String>> {
        let name = |entry: io::Result<fs::DirEntry>| {
            entry.map(|it| it.file_name().to_string_lossy().into_owned())
        };
        fs::read_dir(folder)?.map(name).collect()
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_stays() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("file");
        replace(&file, b"one", Access::Private)?;
        replace(&file, b"two", Access::Private)?;
        replace_unsynced(&file, b"three", Access::Private)?;
        assert_eq!(fs::read(&file)?, b"three");
        assert_eq!(fs::metadata(&file)?.permissions().mode() & 0o777, 0o600);
        fs::create_dir(folder.path().join("taken"))?;
        assert!(replace(&folder.path().join("taken"), b"", Access::Shared).is_err());
        fs::remove_dir(folder.path().join("taken"))?;
        assert_eq!(names(folder.path())?, ["file"]);
        Ok(())
    }

    #[test]
    fn a_link_is_replaced_and_never_written_through() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "precious")?;
        symlink(&target, &link)?;
        assert!(!create(&link, b"new", Access::Shared)?);
        replace(&link, b"new", Access::Shared)?;
        assert_eq!((fs::read(&target)?, fs::read(&link)?), (b"precious".into(), b"new".into()));
        Ok(())
    }

    #[test]
    fn a_file_is_created_once_even_where_a_name_is_taken_that_it_would_use() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("file");
        for number in 0..3 {
            fs::write(
                folder.path().join(format!("{UNFINISHED}{}-{number}", std::process::id())),
                "",
            )?;
        }
        assert!(create(&file, b"one", Access::Private)?);
        assert!(!create(&file, b"two", Access::Private)?);
        assert_eq!(fs::read(&file)?, b"one");
        assert_eq!(names(folder.path())?.len(), 4);
        Ok(())
    }
}
