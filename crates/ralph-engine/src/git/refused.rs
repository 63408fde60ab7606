//! Files that git does not take, because their names mean something to it elsewhere (`git~1`, `.gitmodules` as a link):
//! they are in no tree, so nobody may judge by them. They are put aside and named.

use ralph_core::ids::TreeId;

use super::{
    error::GitError,
    files::{RelPath, on_disk, sample},
    scan::Changes,
    violations::Whose,
    worktree::Worktree,
};

/// So many are named.
const SAMPLE: usize = 5;

impl Worktree {
    /// A few of the user's untracked files and empty folders, and how many more there are.
    pub(crate) fn untracked_sample(&self) -> Vec<String> {
        #[cfg(target_os = "linux")]
        let mut hollow = self.hollow_folders().unwrap_or_default();
        #[cfg(not(target_os = "linux"))]
        let mut hollow = Vec::<RelPath>::new();
        hollow.retain(|folder| !self.untracked.iter().any(|path| path.starts_with(folder)));
        let mut names = sample(self.untracked.iter().chain(&hollow), SAMPLE);
        let more = usize::try_from(self.untracked.len()).unwrap_or_default() + hollow.len();
        let more = more.saturating_sub(SAMPLE);
        names.extend((more > 0).then(|| format!("{more} more")));
        names
    }

    /// Takes changed files into the private index, and gives the tree of all; what git refuses leaves the worktree.
    pub(crate) fn take_in(&mut self, changes: &Changes, whose: Whose) -> Result<TreeId, GitError> {
        let tree = self.index.apply(changes, &self.aside)?;
        let unfit = self.index.unfit();
        self.leave_unfit(&unfit, whose)?;
        self.settled()?;
        if !self.index.was_refused() {
            return Ok(tree);
        }
        let left = self.look()?;
        for path in &left.present {
            self.aside.take(&on_disk(self.repo.root(), path))?;
        }
        let tracked = self.tracked()?;
        let is_old = |path: &&RelPath| tracked.holds(path);
        let old: Vec<RelPath> = left.present.iter().filter(is_old).cloned().collect();
        if !old.is_empty() {
            self.put_back(&old)?;
        }
        let more = left.present.len().saturating_sub(SAMPLE);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let names = sample(&left.present, SAMPLE).join(", ");
        if !left.present.is_empty() {
            self.refused.push(format!(
                "git does not take files of these names, so they are in no commit and were put aside: {names}{more}"
            ));
        }
        Ok(tree)
    }
}
