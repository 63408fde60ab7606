//! Files that git does not take: because their names mean something to it elsewhere (`git~1`, `.gitmodules` as a link), or
//! because of their content (text that does not fit the encoding its attributes name, line ends that would not come back).
//!
//! They are in no tree, so nobody may judge by them: they are put aside and named, and the others are taken.

use ralph_core::{ids::TreeId, vocabulary::Violation};

use super::{
    error::GitError,
    files::{RelPath, named, on_disk},
    index::Unfit,
    scan::Changes,
    violations::{self, Whose},
    worktree::Worktree,
};

/// So many are named.
const SAMPLE: usize = 5;
/// So many files with unfit content are described.
const TOLD: usize = 10;

impl Worktree {
    /// Takes changed files into the private index, and gives the tree of all; what git refuses leaves the worktree.
    pub(crate) fn take_in(&mut self, changes: &Changes, whose: Whose) -> Result<TreeId, GitError> {
        let tree = self.index.apply(changes, &self.aside)?;
        let unfit = self.index.unfit();
        self.leave_unfit(&unfit, whose)?;
        self.settled()?;
        if !self.index.was_refused() {
            return Ok(tree);
        }
        let left = self.look()?.present;
        if left.is_empty() {
            return Ok(tree);
        }
        for path in &left {
            self.aside.take(&on_disk(self.repo.root(), path))?;
        }
        self.put_back_known(&left)?;
        let names = named(&left, SAMPLE);
        self.refused.push(format!(
            "git does not take files of these names, so they are in no commit and were put aside: {names}"
        ));
        Ok(tree)
    }

    /// What git refused leaves the worktree as it is, and is named; what the index knows of it comes back.
    fn leave_unfit(&mut self, unfit: &[Unfit], whose: Whose) -> Result<(), GitError> {
        let screen = self.repo.secrets();
        let told = |one: &Unfit| (screen.shown(&one.path), screen.shown(one.why.as_bytes()));
        if whose == Whose::Agents {
            let found = unfit.iter().take(TOLD).map(told);
            let found = found.map(|(path, why)| Violation::Unfit { path, why });
            violations::remember(&self.truth, found)?;
        }
        let mut notes = Vec::new();
        for one in unfit {
            let kept = self.aside.take(&on_disk(self.repo.root(), &one.path))?;
            let (path, why) = told(one);
            let kept = kept.display();
            notes.push(format!(
                "git does not take {path} ({why}): it is in no commit and is now {kept}"
            ));
        }
        let more = notes.len().saturating_sub(TOLD);
        notes.truncate(TOLD);
        notes.extend(
            (more > 0)
                .then(|| format!("git does not take {more} more files; they lie beside these")),
        );
        let paths: Vec<RelPath> = unfit.iter().map(|one| one.path.clone()).collect();
        self.put_back_known(&paths)?;
        let place = if whose == Whose::Agents { &mut self.refused } else { &mut self.unsaid };
        place.append(&mut notes);
        Ok(())
    }

    /// Writes those of these files that the private index has as it has them.
    pub(crate) fn put_back_known(&self, paths: &[RelPath]) -> Result<(), GitError> {
        if paths.is_empty() {
            return Ok(());
        }
        let tracked = self.tracked()?;
        let known = paths.iter().filter(|path| tracked.holds(path)).cloned();
        let known: Vec<RelPath> = known.collect();
        if known.is_empty() { Ok(()) } else { self.put_back(&known).map(drop) }
    }
}
