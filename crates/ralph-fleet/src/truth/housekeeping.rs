//! Keeps a host's bare repositories small: refs of loops that have ended go, and loose objects are packed now and then.

use std::{fmt::Write as _, fs, sync::Mutex};

use anyhow::Result;

use super::repository::Repository;

/// Held by whoever packs: one at a time is enough for a host.
static PACKING: Mutex<()> = Mutex::new(());

/// Loose objects in one of the 256 folders, then it is time to pack.
const LOOSE: usize = 27;

impl Repository {
    /// Drops the refs of a loop that has ended.
    pub(crate) fn forget(&self) -> Result<()> {
        let refs = self.refs_in(self.dir(), &[&self.own("")])?;
        let mut orders = String::new();
        for name in refs.keys() {
            let _ = writeln!(orders, "delete {name}");
        }
        if orders.is_empty() {
            return Ok(());
        }
        self.git.feed(&["update-ref", "--stdin"], orders.as_bytes()).map(drop)
    }

    /// Packs loose objects if there are many, unless somebody does already. Objects that no ref keeps stay for two
    /// weeks, longer than any stint that may still need them.
    pub(crate) fn pack(&self) -> Result<()> {
        self.pack_beyond(LOOSE)
    }

    fn pack_beyond(&self, loose: usize) -> Result<()> {
        let sample = fs::read_dir(self.dir().join("objects/17"));
        if sample.into_iter().flatten().count() <= loose {
            return Ok(());
        }
        let Ok(_alone) = PACKING.try_lock() else {
            return Ok(());
        };
        self.git.ask(&["gc", "--quiet", "--prune=2.weeks.ago"]).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth::Program;

    #[test]
    fn many_loose_objects_are_packed_and_a_past_loops_refs_go() -> Result<()> {
        let root = tempfile::tempdir()?;
        let dir = root.path().join("mirror.git");
        let open = |name| Repository::open(&Program::default(), &dir, ("nowhere", "b"), name);
        let (past, other) = (open("past")?, open("other")?);
        let files = root.path().join("files");
        fs::create_dir(&files)?;
        let mut paths = String::new();
        for number in 0..600 {
            let path = files.join(number.to_string());
            fs::write(&path, number.to_string())?;
            let _ = writeln!(paths, "{}", path.display());
        }
        past.git.feed(&["hash-object", "-w", "--stdin-paths"], paths.as_bytes())?;
        let tree = past.git.feed(&["mktree"], b"")?;
        let tree = String::from_utf8_lossy(&tree).trim().to_owned();
        for one in [&past, &other] {
            one.git.ask(&["update-ref", &one.own("refs/carrier"), &tree])?;
        }
        let loose = || fs::read_dir(dir.join("objects/17")).into_iter().flatten().count();
        assert!((1..LOOSE).contains(&loose()), "{}", loose());
        past.forget()?;
        let left = past.refs_in(&dir, &["refs/"])?;
        assert_eq!(left.into_keys().collect::<Vec<_>>(), [other.own("refs/carrier")]);
        past.pack()?;
        assert!(loose() > 0, "a few are left alone");
        past.pack_beyond(0)?;
        assert_eq!(loose(), 0);
        assert_eq!(past.git.ask(&["cat-file", "-t", &tree])?, "tree");
        Ok(())
    }
}
