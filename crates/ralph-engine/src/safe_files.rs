//! Files of ralph's own: readable by their user only, never written through a link, never in another user's folder.
//!
//! Every path is walked from a base that people own; below it no part may be a link.

use std::{
    ffi::OsStr,
    fs::{self, File, Metadata, OpenOptions},
    io::{self, Read as _},
    os::{
        fd::{AsFd, OwnedFd},
        unix::fs::OpenOptionsExt as _,
    },
    path::{Component, Path},
};

use nix::{
    errno::Errno,
    fcntl::{OFlag, openat},
    sys::stat::{Mode, fchmod, fstat, mkdirat},
    unistd::{UnlinkatFlags, geteuid, unlinkat},
};

use crate::atomic_write::{self, Access};

const FILE: Mode = Mode::from_bits_truncate(0o600);
const FOLDER: Mode = Mode::from_bits_truncate(0o700);

/// Opens the folder at `path` below `base`, made where it is missing; `base` itself is made if need be.
pub fn folder(base: &Path, path: &Path) -> io::Result<OwnedFd> {
    let below = path.strip_prefix(base).map_err(|_| refused(path, "is not where it should be"))?;
    let open = || fs::create_dir_all(base).and_then(|()| File::open(base));
    let named = |error: io::Error| {
        io::Error::new(error.kind(), format!("{} cannot be made or read: {error}", base.display()))
    };
    let mut here = OwnedFd::from(open().map_err(named)?);
    for part in below.components() {
        let Component::Normal(name) = part else {
            return Err(refused(path, "leads elsewhere"));
        };
        here = enter(&here, name, path)?;
    }
    Ok(here)
}

/// Begins a file anew; whatever stands in its place is taken away first.
pub fn begin(base: &Path, path: &Path) -> io::Result<File> {
    let (folder, name) = parent(base, path)?;
    begin_in(&folder, name)
}

/// Goes on with a file, or begins it.
pub fn append(base: &Path, path: &Path) -> io::Result<File> {
    let (folder, name) = parent(base, path)?;
    let flags = OFlag::O_WRONLY | OFlag::O_APPEND | OFlag::O_CREAT | OFlag::O_NOFOLLOW;
    let file = openat(&folder, name, flags | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK, FILE)?;
    fchmod(&file, FILE)?;
    Ok(file.into())
}

/// Puts a whole text in the place of a file, durably.
pub fn replace(base: &Path, path: &Path, text: &[u8]) -> io::Result<()> {
    let (folder, name) = parent(base, path)?;
    atomic_write::replace_in(&folder, name, text, Access::Private)
}

/// The content of an ordinary file, at most so many bytes, and whose it is. A link is not followed and a pipe not waited
/// for.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<(Vec<u8>, Metadata)> {
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits()).open(path);
    let file = opened.map_err(|error| match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::ELOOP) => io::Error::other("it is a link"),
        _ => error,
    })?;
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut content = Vec::new();
    file.take(most + 1).read_to_end(&mut content)?;
    if content.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is too large"));
    }
    Ok((content, about))
}

fn parent<'a>(base: &Path, path: &'a Path) -> io::Result<(OwnedFd, &'a OsStr)> {
    let name = path.file_name().ok_or_else(|| refused(path, "has no name"))?;
    Ok((folder(base, path.parent().unwrap_or(base))?, name))
}

fn begin_in(folder: impl AsFd, name: &OsStr) -> io::Result<File> {
    match unlinkat(&folder, name, UnlinkatFlags::NoRemoveDir) {
        Ok(()) | Err(Errno::ENOENT) => {}
        Err(error) => return Err(error.into()),
    }
    let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW;
    Ok(openat(&folder, name, flags | OFlag::O_CLOEXEC, FILE)?.into())
}

/// One step down, into a folder that must be a real one and ours.
fn enter(here: &OwnedFd, name: &OsStr, whole: &Path) -> io::Result<OwnedFd> {
    match mkdirat(here, name, FOLDER) {
        Ok(()) | Err(Errno::EEXIST) => {}
        Err(error) => return Err(error.into()),
    }
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let inside = openat(here, name, flags, Mode::empty()).map_err(|error| match error {
        Errno::ELOOP | Errno::ENOTDIR => refused(whole, "leads through a link"),
        other => other.into(),
    })?;
    let about = fstat(&inside)?;
    if about.st_uid != geteuid().as_raw() {
        return Err(refused(whole, &format!("belongs to another user (uid {})", about.st_uid)));
    }
    if about.st_mode & 0o077 != 0 {
        fchmod(&inside, FOLDER)?;
    }
    Ok(inside)
}

fn refused(path: &Path, why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, format!("{} {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::{
        io::Write as _,
        os::unix::fs::{PermissionsExt as _, symlink},
    };

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).map_or(0, |about| about.permissions().mode() & 0o777)
    }

    #[test]
    fn files_and_folders_are_the_users_own() -> io::Result<()> {
        let home = tempfile::tempdir()?;
        let base = home.path().join("base");
        let file = base.join("runs/r1/a.log");
        fs::create_dir_all(base.join("runs"))?;
        fs::set_permissions(base.join("runs"), fs::Permissions::from_mode(0o755))?;
        begin(&base, &file)?.write_all(b"one")?;
        append(&base, &file)?.write_all(b"two")?;
        assert_eq!(fs::read_to_string(&file)?, "onetwo");
        replace(&base, &file, b"three")?;
        assert_eq!(fs::read_to_string(&file)?, "three");
        append(&base, &base.join("runs/r1/b.log"))?;
        for (path, wanted) in [("runs", 0o700), ("runs/r1", 0o700), ("runs/r1/a.log", 0o600)] {
            assert_eq!(mode(&base.join(path)), wanted, "{path}");
        }
        assert_eq!(mode(&base.join("runs/r1/b.log")), 0o600);
        Ok(())
    }

    #[test]
    fn no_link_is_followed_at_any_step() -> io::Result<()> {
        let home = tempfile::tempdir()?;
        let (base, outside) = (home.path().join("base"), home.path().join("outside"));
        fs::create_dir_all(base.join("runs"))?;
        fs::create_dir(&outside)?;
        fs::write(outside.join("precious"), "precious")?;
        symlink(&outside, base.join("runs/r1"))?;
        for tried in [
            begin(&base, &base.join("runs/r1/precious")).map(drop),
            append(&base, &base.join("runs/r1/precious")).map(drop),
            replace(&base, &base.join("runs/r1/precious"), b"x"),
            folder(&base, &base.join("runs/r1/more")).map(drop),
            folder(&base, &base.join("../outside")).map(drop),
        ] {
            assert!(tried.is_err());
        }
        symlink(outside.join("precious"), base.join("runs/link"))?;
        assert!(append(&base, &base.join("runs/link")).is_err());
        begin(&base, &base.join("runs/link"))?.write_all(b"new")?;
        assert_eq!(fs::read_to_string(outside.join("precious"))?, "precious");
        assert_eq!(fs::read_to_string(base.join("runs/link"))?, "new");
        Ok(())
    }

    #[test]
    fn a_folder_of_another_user_is_refused() -> io::Result<()> {
        let home = tempfile::tempdir()?;
        let base = home.path();
        fs::create_dir(base.join("runs"))?;
        // Only root can give a folder away.
        if geteuid().is_root() {
            std::os::unix::fs::chown(base.join("runs"), Some(4321), None)?;
            let told =
                folder(base, &base.join("runs")).map(drop).map_err(|error| error.to_string());
            assert!(told.is_err_and(|text| text.contains("another user")));
        }
        Ok(())
    }
}
