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
        let sample = fs::read_dir(self.dir().join("objects/17"));
        if sample.into_iter().flatten().count() <= LOOSE {
            return Ok(());
        }
        let Ok(_alone) = PACKING.try_lock() else {
            return Ok(());
        };
        self.git.ask(&["gc", "--quiet", "--prune=2.weeks.ago"]).map(drop)
    }
}
