//! Puts installed packages back as they were beneath what a command wrote: the next one judges with them.
//!
//! Never follows a link. What lies in a layer is as hostile as its writer.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use crate::{beneath::Folder, remove::remove_all};

/// Folders whose path is longer are forgotten whole: nobody installs packages there, and nobody could name them.
const LONGEST: usize = 3_000;
/// So deep packages are looked for beneath a folder that was replaced.
const DEEPEST: usize = 8;

/// What a command wrote over the worktree, and what lies beneath, the first on top.
pub(super) struct Room {
    pub(super) up: PathBuf,
    pub(super) beneath: Vec<PathBuf>,
}

impl Room {
    /// Removes what was written under these names, but not inside folders of the others: what is beneath is seen again.
    pub(super) fn forget_in(&self, foreign: &[&str], own: &[&str]) -> io::Result<()> {
        for place in self.beneath.iter().flat_map(|root| linked(root, foreign)) {
            self.forget_at(&place)?;
        }
        self.forget_below(Path::new(""), foreign, own)
    }

    /// Removes what was written at one place, or what stands in the way of it.
    fn forget_at(&self, place: &Path) -> io::Result<()> {
        let mut written = self.up.clone();
        for part in place.components() {
            written.push(part);
            let Ok(there) = fs::symlink_metadata(&written) else { return Ok(()) };
            if !there.is_dir() || is_marked(&written) {
                break;
            }
        }
        remove_all(&written).or_else(|_| fs::remove_file(&written))
    }

    fn forget_below(&self, folder: &Path, foreign: &[&str], own: &[&str]) -> io::Result<()> {
        let here = self.up.join(folder);
        match Folder::open(&here) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            // Whoever wrote there may have closed it.
            other => other?.open_up()?,
        }
        for entry in fs::read_dir(&here)? {
            let entry = entry?;
            let (path, place) = (entry.path(), folder.join(entry.file_name()));
            let is = |names: &[&str]| names.iter().any(|name| entry.file_name() == *name);
            let is_folder = entry.file_type()?.is_dir();
            if is(foreign)
                || path.as_os_str().len() > LONGEST
                || self.replaces(&place, &path, foreign)?
            {
                remove_all(&path).or_else(|_| fs::remove_file(&path))?;
            } else if is_folder && !is(own) {
                self.forget_below(&place, foreign, own)?;
            }
        }
        Ok(())
    }

    /// Whether something stands in the place of a folder in which packages are installed: a link, a file, a mark that it
    /// is gone, or a folder that hides it.
    fn replaces(&self, place: &Path, written: &Path, foreign: &[&str]) -> io::Result<bool> {
        let kind = fs::symlink_metadata(written)?.file_type();
        let is_another = !kind.is_dir() || is_marked(written);
        let is_there = |root: &PathBuf| {
            let folder = root.join(place);
            fs::symlink_metadata(&folder).is_ok_and(|it| it.is_dir())
                && holds(&folder, foreign, DEEPEST)
        };
        Ok(is_another && self.beneath.iter().any(is_there))
    }
}

/// Whether a folder hides what is beneath it.
fn is_marked(folder: &Path) -> bool {
    let marks = [
        "trusted.overlay.opaque",
        "user.overlay.opaque",
        "trusted.overlay.redirect",
        "user.overlay.redirect",
    ];
    marks.iter().any(|mark| rustix::fs::lgetxattr(folder, *mark, &mut [0_u8; 256]).is_ok())
}

/// Where packages of the user's are that only a link has such a name for, at the top of the worktree.
fn linked(root: &Path, names: &[&str]) -> Vec<PathBuf> {
    let target = |name: &&str| {
        let target = fs::read_link(root.join(name)).ok()?;
        let inside = target.strip_prefix(root).unwrap_or(&target).to_owned();
        let is_plain = inside.components().all(|part| matches!(part, Component::Normal(_)));
        is_plain.then_some(inside)
    };
    names.iter().filter_map(target).collect()
}

/// Whether a folder of one of these names lies below this one.
fn holds(folder: &Path, names: &[&str], depth: usize) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.any(|entry| {
        names.iter().any(|name| entry.file_name() == *name)
            || depth > 0 && holds(&entry.path(), names, depth - 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(root: &Path, files: &[&str]) -> io::Result<()> {
        for file in files.iter().map(|name| root.join(name)) {
            fs::create_dir_all(file.parent().unwrap_or(root))?;
            fs::write(file, "")?;
        }
        Ok(())
    }

    #[test]
    fn packages_of_others_are_as_they_were() -> io::Result<()> {
        let (up, below) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let files = ["node_modules/x/vendor/y", ".venv/bin/strict", "web/.venv/z", "web/dist/a"];
        made(up.path(), &files)?;
        let room = Room { up: up.path().to_owned(), beneath: vec![below.path().to_owned()] };
        room.forget_in(&[".venv", "vendor"], &["node_modules"])?;
        let left = files.map(|name| up.path().join(name).exists());
        assert_eq!(left, [true, false, false, true]);
        Ok(())
    }

    #[test]
    fn packages_behind_a_link_of_the_users_are_as_they_were() -> io::Result<()> {
        let (up, below) = (tempfile::tempdir()?, tempfile::tempdir()?);
        made(below.path(), &["envs/main/bin/judge"])?;
        std::os::unix::fs::symlink("envs/main", below.path().join(".venv"))?;
        made(up.path(), &["envs/main/bin/judge", "envs/other"])?;
        let room = Room { up: up.path().to_owned(), beneath: vec![below.path().to_owned()] };
        room.forget_in(&[".venv"], &[])?;
        assert!(!up.path().join("envs/main").exists() && up.path().join("envs/other").exists());
        made(up.path(), &["away/main/kept"])?;
        fs::remove_dir_all(up.path().join("envs"))?;
        std::os::unix::fs::symlink("away", up.path().join("envs"))?;
        room.forget_in(&[".venv"], &[])?;
        assert!(up.path().join("away/main/kept").exists(), "not behind a link");
        assert!(fs::symlink_metadata(up.path().join("envs")).is_err(), "nothing in the way");
        Ok(())
    }

    #[test]
    fn nothing_stands_in_the_place_of_a_folder_with_packages() -> io::Result<()> {
        let (up, below) = (tempfile::tempdir()?, tempfile::tempdir()?);
        made(below.path(), &["tools/.venv/bin/judge", "build/out"])?;
        made(up.path(), &["evil/v/bin/judge"])?;
        std::os::unix::fs::symlink("evil", up.path().join("tools"))?;
        std::os::unix::fs::symlink("evil", up.path().join("build"))?;
        let mut deep = up.path().join("deep");
        for _ in 0..30 {
            deep.push("x".repeat(100));
            let _ = fs::create_dir_all(&deep);
        }
        let room = Room { up: up.path().to_owned(), beneath: vec![below.path().to_owned()] };
        room.forget_in(&[".venv"], &[])?;
        assert!(fs::symlink_metadata(up.path().join("tools")).is_err());
        assert!(fs::symlink_metadata(up.path().join("build")).is_ok(), "no packages there");
        assert!(up.path().join("evil/v/bin/judge").exists());
        Ok(())
    }
}
