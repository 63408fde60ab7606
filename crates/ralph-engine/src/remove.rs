//! Removing a folder in which somebody else could do as they liked: no access rights, any depth, mounts.
//!
//! Must never follow a symbolic link, nor reach into a file system that is mounted inside.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

/// Removes a folder and all that is in it, as far as possible; the first thing that could not go is the error.
///
/// Folders inside are first moved beside it, so that no path grows too long to be named and a mount, which cannot
/// be moved, is never entered. What a kill leaves therefore lies beside it too.
pub(crate) fn remove_all(folder: &Path) -> io::Result<()> {
    let mut work = Removal { beside: folder.to_owned(), number: 0, rest: Vec::new(), stays: None };
    if folder.is_symlink() || folder.is_file() {
        return fs::remove_file(folder);
    }
    work.rest.push(folder.to_owned());
    while let Some(next) = work.rest.pop() {
        let emptied = work.empty(&next);
        work.attempt(emptied);
        work.attempt(fs::remove_dir(&next));
    }
    work.stays.map_or(Ok(()), Err)
}

struct Removal {
    beside: PathBuf,
    number: u64,
    rest: Vec<PathBuf>,
    stays: Option<io::Error>,
}

impl Removal {
    fn empty(&mut self, folder: &Path) -> io::Result<()> {
        open_up(folder)?;
        let entries: Vec<fs::DirEntry> = fs::read_dir(folder)?.collect::<io::Result<_>>()?;
        for entry in entries {
            let gone = match entry.file_type() {
                Ok(kind) if kind.is_dir() => self.move_beside(&entry.path()),
                Ok(_) => fs::remove_file(entry.path()),
                Err(error) => Err(error),
            };
            self.attempt(gone);
        }
        Ok(())
    }

    fn move_beside(&mut self, folder: &Path) -> io::Result<()> {
        loop {
            self.number += 1;
            let mut name = self.beside.clone().into_os_string();
            name.push(format!(".gone-{}", self.number));
            let target = PathBuf::from(name);
            if fs::symlink_metadata(&target).is_ok() {
                continue;
            }
            match fs::rename(folder, &target) {
                // The owner needs to write to a folder to give it another parent.
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    open_up(folder)?;
                    fs::rename(folder, &target)?;
                }
                other => other?,
            }
            self.rest.push(target);
            return Ok(());
        }
    }

    fn attempt(&mut self, done: io::Result<()>) {
        if let Err(error) = done
            && error.kind() != io::ErrorKind::NotFound
        {
            self.stays.get_or_insert(error);
        }
    }
}

fn open_up(folder: &Path) -> io::Result<()> {
    let mode = fs::symlink_metadata(folder)?.permissions().mode();
    if mode & 0o700 == 0o700 {
        return Ok(());
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(mode | 0o700))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(path: &Path) -> io::Result<()> {
        fs::set_permissions(path, fs::Permissions::from_mode(0o000))
    }

    #[test]
    fn what_nobody_may_enter_is_removed_and_links_are_not_followed() -> io::Result<()> {
        let home = tempfile::tempdir()?;
        let (folder, other) = (home.path().join("folder"), home.path().join("other"));
        fs::create_dir_all(folder.join("shut/inner"))?;
        fs::create_dir_all(&other)?;
        fs::write(other.join("stays"), "here")?;
        fs::write(folder.join("shut/inner/file"), "x")?;
        std::os::unix::fs::symlink(&other, folder.join("shut/link"))?;
        std::os::unix::fs::symlink("nowhere", folder.join("dangling"))?;
        for path in ["shut/inner/file", "shut/inner", "shut"] {
            close(&folder.join(path))?;
        }
        close(&folder)?;
        remove_all(&folder)?;
        assert_eq!(fs::read_to_string(other.join("stays"))?, "here");
        let left: Vec<_> = fs::read_dir(home.path())?.flatten().map(|e| e.file_name()).collect();
        assert_eq!(left, ["other"]);
        Ok(())
    }

    #[test]
    fn folders_too_deep_to_be_named_are_removed() -> io::Result<()> {
        let home = tempfile::tempdir()?;
        let folder = home.path().join("folder");
        fs::create_dir(&folder)?;
        for _ in 0..40 {
            // Built from the outside in: each round puts the whole chain into a new folder.
            let outer = home.path().join("outer");
            let mut inner = outer.clone();
            for _ in 0..10 {
                inner.push("a-name-that-is-long-enough-to-matter");
            }
            fs::create_dir_all(&inner)?;
            fs::rename(&folder, inner.join("folder"))?;
            fs::rename(&outer, &folder)?;
        }
        remove_all(&folder)?;
        assert_eq!(fs::read_dir(home.path())?.count(), 0);
        Ok(())
    }

    #[test]
    fn what_an_earlier_removal_left_is_not_overwritten() -> io::Result<()> {
        let home = tempfile::tempdir()?;
        let folder = home.path().join("folder");
        fs::create_dir_all(folder.join("inner"))?;
        fs::create_dir_all(home.path().join("folder.gone-1/more"))?;
        remove_all(&folder)?;
        assert!(home.path().join("folder.gone-1/more").exists());
        remove_all(&folder)
    }
}
