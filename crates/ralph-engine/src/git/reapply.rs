//! Parked work on top of what the run branch is by now. Only works it out: no ref, no file changes.

use ralph_core::{effect::Reapply, input::Reapplied};

use super::{
    error::GitError,
    files::named,
    merge::{Merged, merge},
    repository::Repository,
};

/// So many paths are named.
const SAMPLE: usize = 10;

impl Repository {
    /// The tree of `onto` with what the branch has beyond their common ancestor.
    pub fn reapply(&self, request: &Reapply) -> Result<Reapplied, GitError> {
        let Reapply { branch, onto } = request;
        let Some(parked) = self.commit_at(&format!("refs/heads/{branch}"))? else {
            return Ok(unfit(format!("branch {branch} is gone, there is nothing to re-apply")));
        };
        if !self.share_history(parked.as_str(), onto.as_str())? {
            return Ok(unfit(format!("branch {branch} has no history in common with the run")));
        }
        Ok(match merge(&self.git, onto, &parked)? {
            Merged::Clean(tree) => Reapplied { tree: Some(tree), notes: Vec::new() },
            Merged::Conflict(paths) => {
                let (onto, paths) = (onto.short(), named(&paths, SAMPLE));
                unfit(format!(
                    "the work on {branch} no longer fits onto {onto}; in conflict: {paths}"
                ))
            }
        })
    }

    fn share_history(&self, one: &str, other: &str) -> Result<bool, GitError> {
        Ok(self.git.call(&["merge-base", one, other]).reads().found()?.code == 0)
    }
}

fn unfit(note: String) -> Reapplied {
    Reapplied { tree: None, notes: vec![note] }
}
