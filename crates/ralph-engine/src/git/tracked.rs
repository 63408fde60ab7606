//! Which files the run's tree has, as the private index lists them. Asks no git.

use std::collections::BTreeSet;

use super::files::{RelPath, below, split_nul};

/// The files of the run's tree, by the private index.
#[derive(Debug, Default)]
pub(crate) struct Tracked {
    paths: BTreeSet<RelPath>,
    /// Those that the user told git not to look at: what is written there is in no tree.
    unwatched: BTreeSet<RelPath>,
}

impl Tracked {
    /// As `git ls-files -z -v --cached` lists them.
    pub(crate) fn read(listing: &[u8]) -> Self {
        let mut tracked = Self::default();
        for line in split_nul(listing) {
            let Some(path) = line.get(2..) else { continue };
            if line.first() != Some(&b'H') {
                tracked.unwatched.insert(path.to_vec());
            }
            tracked.paths.insert(path.to_vec());
        }
        tracked
    }

    pub(crate) fn holds(&self, path: &[u8]) -> bool {
        self.paths.contains(path)
    }

    pub(crate) fn paths(&self) -> &BTreeSet<RelPath> {
        &self.paths
    }

    /// Whether git has it and looks at it.
    pub(crate) fn is_watched(&self, path: &[u8]) -> bool {
        self.holds(path) && !self.is_unwatched(path)
    }

    pub(crate) fn is_unwatched(&self, path: &[u8]) -> bool {
        self.unwatched.contains(path)
    }

    /// Those that the user told git not to look at.
    pub(crate) fn unwatched(&self) -> impl Iterator<Item = &RelPath> {
        self.unwatched.iter()
    }

    /// The files at or below a path.
    pub(crate) fn within<'a>(&'a self, path: &'a [u8]) -> impl Iterator<Item = &'a RelPath> {
        self.paths.get(path).into_iter().chain(below(&self.paths, path))
    }
}
