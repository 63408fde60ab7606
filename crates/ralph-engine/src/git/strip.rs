//! Takes out of a layer what a gate changed besides what git ignores, and names it: whoever comes next sees the tree again,
//! and what builds keep.
//!
//! Never follows a link in a layer. What is in it is as hostile as its writer.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use super::{
    error::GitError,
    files::{RelPath, below, shown},
    layer::{Entry, Kind, Layer, split},
    nested::is_repository,
    replace::is_same,
    worktree::Worktree,
};
use crate::beneath::Folder;

/// So many files that a gate changed are named.
const MOST_NAMED: usize = 1_000;

/// The tree that a layer lies over.
pub(crate) struct Beneath {
    /// Every path of it.
    pub(crate) paths: BTreeSet<RelPath>,
    /// Where its files are; a file counts in the first folder that has it.
    pub(crate) folders: Vec<PathBuf>,
}

/// What was taken out.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Stripped {
    /// Files of the tree that were not the same any more.
    pub(crate) changed: Vec<String>,
    /// Files that are neither the tree's nor the user's.
    pub(crate) made: Vec<String>,
}

impl Worktree {
    /// Whether anything at all was written into a layer.
    pub(crate) fn is_written(up: &Path) -> bool {
        fs::read_dir(up).is_ok_and(|mut entries| entries.next().is_some())
    }

    /// Takes out of a layer what git would track. No process that writes there may be alive.
    pub(crate) fn strip(&self, up: &Path, beneath: &Beneath) -> Result<Stripped, GitError> {
        let fail = || GitError::io("cannot clear what gates changed");
        let Some(layer) = Layer::open(up).map_err(fail())? else {
            return Ok(Stripped::default());
        };
        let mut stripped = Stripped::default();
        let (mut folders, mut visited) = (vec![RelPath::new()], Vec::new());
        while !folders.is_empty() {
            let level = self.level(&layer, &folders)?;
            visited.append(&mut folders);
            for entry in &level.entries {
                let is_kept = level.ignored.contains(&entry.path);
                if is_kept && !beneath.has(&entry.path) {
                    continue;
                }
                self.note(entry, &layer, beneath, &mut stripped);
                match entry.kind {
                    _ if is_repository(&entry.path) => {
                        layer.drop_all(&entry.path).map_err(fail())?;
                    }
                    Kind::Folder { .. } => folders.push(entry.path.clone()),
                    _ => layer.drop(&entry.path).map_err(fail())?,
                }
            }
        }
        layer.tidy(&visited).map_err(fail())?;
        Ok(stripped)
    }

    /// Names what an entry does to the tree.
    fn note(&self, entry: &Entry, layer: &Layer, beneath: &Beneath, stripped: &mut Stripped) {
        let path = &entry.path;
        let is_tracked = beneath.paths.contains(path);
        let is_same = is_tracked && beneath.is_same(entry, layer);
        let mut changed: Vec<&RelPath> = Vec::new();
        if is_tracked && !is_same {
            changed.push(path);
        }
        match entry.kind {
            // Of a folder that hides what is below it, only what is in it again is there.
            Kind::Folder { hides: true } => {
                changed.extend(below(&beneath.paths, path).filter(|path| !layer.has(path)));
            }
            Kind::Folder { hides: false } => {}
            _ => changed.extend(below(&beneath.paths, path)),
        }
        let is_made = !is_tracked
            && (!matches!(entry.kind, Kind::Folder { .. } | Kind::Gone) || is_repository(path));
        if is_made && !self.untracked.holds(path) && stripped.made.len() < MOST_NAMED {
            stripped.made.push(shown(path));
        }
        let room = MOST_NAMED.saturating_sub(stripped.changed.len());
        stripped.changed.extend(changed.into_iter().take(room).map(|path| shown(path)));
    }
}

impl Beneath {
    /// Whether a path is the tree's, or a folder of the tree's.
    fn has(&self, path: &RelPath) -> bool {
        self.paths.contains(path) || below(&self.paths, path).next().is_some()
    }

    /// Whether an entry is what the tree has there: some commands write again what is there already.
    pub(super) fn is_same(&self, entry: &Entry, layer: &Layer) -> bool {
        let (parent, name) = split(&entry.path);
        let there = self.folders.iter().find_map(|root| {
            let folder = Folder::open(root).ok()?.below(parent).ok()?;
            fs::symlink_metadata(folder.at(name)).is_ok().then_some(folder)
        });
        let (Some(there), Ok((here, _))) = (there, layer.place(&entry.path)) else {
            return false;
        };
        is_same(&there.at(name), &here.at(name)).unwrap_or(false)
    }
}
