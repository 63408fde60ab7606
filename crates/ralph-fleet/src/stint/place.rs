//! Where a loop's things lie on this host: one folder per loop, one bare repository per address, and the marks that say
//! what a folder is still good for.

use std::{
    fmt::Write as _,
    fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};

/// A loop's folder.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    path: PathBuf,
    name: String,
}

/// What the names begin with of what was set aside.
const KEPT: &str = "kept-";

/// The longest name that is kept as it is.
const LONGEST: usize = 120;

impl Folder {
    pub(crate) fn new(root: &Path, key: &str) -> Self {
        let name = plain(key);
        Self { path: root.join("loops").join(&name), name }
    }

    pub(crate) fn make(&self) -> Result<()> {
        fs::create_dir_all(&self.path)
            .with_context(|| format!("cannot create {}", self.path.display()))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The loop's name on this host; good for a ref too.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Where ralph works.
    pub(crate) fn work(&self) -> PathBuf {
        self.path.join("work")
    }

    /// The repository that publications go through.
    pub(crate) fn way_out(&self) -> PathBuf {
        self.path.join("out.git")
    }

    /// The truth that the folder is exactly in step with, if a stint left it so.
    pub(crate) fn synced(&self) -> Option<String> {
        fs::read_to_string(self.path.join("synced")).ok()
    }

    /// From here on the folder has what nobody else has. Whether it was in step with a truth: whoever tidies takes that
    /// mark away too, and only one of the two has the folder.
    pub(crate) fn unmark(&self) -> Result<bool> {
        let take = |name: &str| match fs::remove_file(self.path.join(name)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error).context("cannot unmark a loop's folder"),
        };
        let was_synced = take("synced")?;
        take("finished")?;
        Ok(was_synced)
    }

    /// Sets aside what lies where ralph works, for a person: neither a later stint nor a quota takes it away.
    pub(crate) fn keep(&self, epoch: u64) -> Result<PathBuf> {
        let named = |number: u32| match number {
            0 => format!("{KEPT}{epoch}"),
            _ => format!("{KEPT}{epoch}-{number}"),
        };
        let mut places = (0..).map(|number| self.path.join(named(number)));
        let place = places.find(|place| !place.exists()).context("no free folder name")?;
        fs::rename(self.work(), &place)
            .with_context(|| format!("cannot set {} aside", self.work().display()))?;
        Ok(place)
    }

    /// Everything in it is published with this truth.
    pub(crate) fn mark(&self, truth: &str, is_finished: bool) -> Result<()> {
        if is_finished {
            fs::write(self.path.join("finished"), truth)?;
        }
        fs::write(self.path.join("synced"), truth).context("cannot mark a loop's folder")
    }
}

/// What was set aside for a person in a loop's folder, and not taken away since.
pub(crate) fn kept(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let kept = entries.filter(|path| name_of(path).starts_with(KEPT));
    let mut kept: Vec<String> = kept.map(|path| path.display().to_string()).collect();
    kept.sort_unstable();
    kept
}

/// The last part of a path.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The bare repository of this address.
pub(crate) fn mirror(root: &Path, url: &str) -> PathBuf {
    root.join("mirrors").join(format!("{}.git", plain(url)))
}

/// A name for a file and a ref from any text; two texts never share one.
fn plain(text: &str) -> String {
    let mut name = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => name.push(char::from(byte)),
            _ => drop(write!(name, "_{byte:02x}")),
        }
    }
    if name.len() <= LONGEST {
        return name;
    }
    // FNV-1a: two long names that begin alike must still differ.
    let mixed = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    name.truncate(LONGEST);
    format!("{name}_{mixed:016x}")
}

/// Removes a folder, whatever an agent left in it.
pub(crate) fn remove(path: &Path) -> Result<()> {
    let removed = match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_up(path).and_then(|()| fs::remove_dir_all(path))
        }
        other => other,
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// Gives every folder below back the rights that removing needs.
fn open_up(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open_up(&entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_loops_never_share_a_name() {
        assert_eq!(plain("loop/x.y/a@b"), "loop_2fx_2ey_2fa_40b");
        assert_ne!(plain("a/b"), plain("a-b"));
        let long = "x".repeat(500);
        assert_ne!(plain(&format!("{long}a")), plain(&format!("{long}b")));
        assert!(plain(&long).len() < 150);
    }

    #[test]
    fn a_folder_is_taken_by_one_alone() -> Result<()> {
        let root = tempfile::tempdir()?;
        let folder = Folder::new(root.path(), "loop/a");
        folder.make()?;
        folder.mark("c", true)?;
        assert!(folder.unmark()? && !folder.unmark()?);
        Ok(())
    }

    #[test]
    fn a_folder_without_rights_can_be_removed() -> Result<()> {
        let root = tempfile::tempdir()?;
        let deep = root.path().join("a/b");
        fs::create_dir_all(&deep)?;
        fs::write(deep.join("file"), "x")?;
        fs::set_permissions(&deep, fs::Permissions::from_mode(0o000))?;
        remove(&root.path().join("a"))?;
        assert!(!root.path().join("a").exists());
        remove(&root.path().join("a"))
    }
}
