//! What a host keeps of loops that are not at work: the folders used last. One goes only if everything in it is
//! published, nothing in it was set aside for a person, and no stint is in it.

use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use super::place;

/// How many folders stay, and how much room there must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// Of loops that have ended: somebody may want to look.
    pub finished: usize,
    /// Of loops that go on, here or elsewhere.
    pub idle: usize,
    /// With less room than this on the file system no stint begins.
    pub free_bytes: u64,
}

/// What the names begin with of folders that are being removed; no loop's does.
const GONE: &str = ".gone-";

impl Default for Quota {
    fn default() -> Self {
        Self { finished: 5, idle: 50, free_bytes: 1 << 30 }
    }
}

impl Quota {
    /// Removes folders below a host's root that are beyond the quota, those first that were left first. What cannot be
    /// removed now can be later.
    pub(super) fn tidy(self, root: &Path) {
        let entries = fs::read_dir(root.join("loops")).into_iter().flatten().flatten();
        let (mut finished, mut idle) = (Vec::new(), Vec::new());
        for folder in entries.map(|entry| entry.path()) {
            if place::name_of(&folder).starts_with(GONE) {
                let _ = place::remove(&folder);
                continue;
            }
            let Some(left_at) = changed(folder.join("synced")) else { continue };
            if !place::kept(&folder).is_empty() {
                continue;
            }
            let is_finished = folder.join("finished").is_file();
            if is_finished { &mut finished } else { &mut idle }.push((left_at, folder));
        }
        for (mut folders, stays) in [(finished, self.finished), (idle, self.idle)] {
            folders.sort_unstable();
            let beyond = folders.len().saturating_sub(stays);
            for (_, folder) in folders.into_iter().take(beyond) {
                // Whoever begins a stint takes this mark away first, so only one of the two has the folder; and it
                // may make a new one while this one is being removed.
                let gone = folder.with_file_name(format!("{GONE}{}", place::name_of(&folder)));
                if fs::remove_file(folder.join("synced")).is_ok()
                    && fs::rename(&folder, &gone).is_ok()
                {
                    let _ = place::remove(&gone);
                }
            }
        }
    }
}

fn changed(path: PathBuf) -> Option<SystemTime> {
    fs::metadata(path).and_then(|known| known.modified()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_published_folders_beyond_the_quota_go() -> std::io::Result<()> {
        let root = tempfile::tempdir()?;
        let quota = Quota { finished: 0, idle: 1, ..Quota::default() };
        let make = |name: &str, marks: &[&str]| -> std::io::Result<()> {
            let folder = root.path().join("loops").join(name);
            fs::create_dir_all(folder.join("work"))?;
            marks.iter().try_for_each(|mark| fs::write(folder.join(mark), "c"))
        };
        make("unpublished", &[])?;
        make("unpublished-but-finished", &["finished"])?;
        make(".gone-half", &[])?;
        make("finished", &["finished", "synced"])?;
        make("kept", &["finished", "synced"])?;
        fs::create_dir(root.path().join("loops/kept/kept-7"))?;
        make("idle1", &["synced"])?;
        make("idle2", &["synced"])?;
        quota.tidy(root.path());
        let mut left: Vec<String> = fs::read_dir(root.path().join("loops"))?
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        left.retain(|name| !name.starts_with("idle"));
        left.sort();
        assert_eq!(left, ["kept", "unpublished", "unpublished-but-finished"]);
        assert_eq!(fs::read_dir(root.path().join("loops"))?.count(), 4);
        Ok(())
    }
}
