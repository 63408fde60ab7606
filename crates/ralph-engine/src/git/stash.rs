//! Bringing the user's kept changes back at the end of a run, onto whatever the run made of the files.

use ralph_core::ids::{CommitId, TreeId};

use super::{
    commit::write_commit,
    error::GitError,
    merge::{self, Merged},
    worktree::Worktree,
};

impl Worktree {
    /// Brings the kept changes back; where they do not fit, the ref stays and the note says how to go on.
    pub(crate) fn bring_back(&mut self, stash: &str, head: &CommitId) -> Result<String, GitError> {
        let tree_at = |revision: String| self.repo.tree_at(&revision);
        let base = tree_at(format!("{stash}^1"))?;
        let staged = tree_at(format!("{stash}^2"))?;
        let changed = tree_at(stash.to_owned())?;
        let now = self.tree_of(head)?;
        let Some(merged) = self.merge(&base, &now, &changed)? else {
            return Ok(format!(
                "your changes do not fit onto {}; they are kept: \
                 `git switch {}`, then `git stash apply --index {stash}`",
                self.record.branch, self.record.came_from
            ));
        };
        self.index.turn(&now, &merged, &self.aside)?;
        let index = self.merge(&base, &now, &staged)?.unwrap_or(now);
        self.index.load(&index)?;
        self.line_up_users_index(&index)?;
        Ok(format!("your changes are back ({stash} still has them)"))
    }

    /// The three-way merge of trees, or `None` where they conflict.
    fn merge(
        &self,
        base: &TreeId,
        ours: &TreeId,
        theirs: &TreeId,
    ) -> Result<Option<TreeId>, GitError> {
        if base == ours {
            return Ok(Some(theirs.clone()));
        }
        if base == theirs {
            return Ok(Some(ours.clone()));
        }
        // Commits of their own give the merge exactly this base, also where git cannot be told one.
        let git = &self.repo.git;
        let base = write_commit(git, base, &[], "base")?;
        let ours = write_commit(git, ours, &[&base], "ours")?;
        let theirs = write_commit(git, theirs, &[&base], "theirs")?;
        Ok(match merge::merge(git, &ours, &theirs)? {
            Merged::Clean(tree) => Some(tree),
            Merged::Conflict(_) => None,
        })
    }
}
