//! Whether a person has taken the tree that a run begins with: only then may it leave something for gates that come later.
//!
//! What agents made and nobody but ralph accepted is on a run's branch. A person takes it by bringing it onto a branch
//! of their own.

use std::{collections::BTreeSet, fs, path::Path};

use ralph_core::ids::{CommitId, TreeId};

use super::{
    error::GitError, record::Record, refs::is_ancestor, repository::Repository, worktree::Worktree,
};

impl Repository {
    /// Whether `head` is on a branch of the user's own: the one they came from now or when an earlier run began, unless
    /// a run works on it. `truth` is the folder of the run that begins; those of other runs are beside it.
    pub(crate) fn is_taken(
        &self,
        head: &CommitId,
        came_from: &str,
        truth: &Path,
    ) -> Result<bool, GitError> {
        let runs = truth.parent().and_then(|runs| fs::read_dir(runs).ok());
        let (mut own, mut made) = (BTreeSet::from([came_from.to_owned()]), BTreeSet::new());
        for run in runs.into_iter().flatten().flatten().filter(|run| run.path().is_dir()) {
            // What cannot be read could have been on any branch.
            let Ok(records) = Record::all(&run.path()) else { return Ok(false) };
            for record in records {
                own.insert(record.came_from);
                made.insert(record.branch);
            }
        }
        for branch in own.difference(&made).filter(|branch| !is_ralphs(branch)) {
            let name = format!("refs/heads/{branch}");
            let tip = self.commit_at(&name)?;
            if let Some(tip) = tip
                && is_ancestor(&self.git, head.as_str(), tip.as_str())?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether ralph gives branches such names: run branches, and where it keeps what was given up or parked.
fn is_ralphs(branch: &str) -> bool {
    branch.starts_with("ralph/") || branch.starts_with("wip/ralph-fail-")
}

impl Worktree {
    /// The commit that the run began with.
    pub(crate) fn first_commit(&self) -> &CommitId {
        &self.record.head
    }

    /// Whether the run begins with this commit or a later one.
    pub(crate) fn begins_after(&self, commit: &CommitId) -> Result<bool, GitError> {
        let is_known = self.repo.commit_at(commit.as_str())?.is_some();
        Ok(is_known && is_ancestor(&self.repo.git, commit.as_str(), self.record.head.as_str())?)
    }

    /// Whether this is the tree that the run began with, and a person has taken it.
    pub(crate) fn begins_taken(&mut self, tree: &TreeId) -> Result<bool, GitError> {
        let head = self.record.head.clone();
        Ok(self.record.is_taken && self.tree_of(&head)? == *tree)
    }
}
