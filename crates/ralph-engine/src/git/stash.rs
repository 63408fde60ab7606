//! Bringing the user's kept changes back at the end of a run, onto whatever the run made of the files.

use ralph_core::ids::TreeId;

use super::{
    commit::write_commit,
    error::GitError,
    merge::{self, Merged},
    record::{Record, Unreturned},
    worktree::Worktree,
};

impl Worktree {
    /// Brings the kept changes back onto the tree that the worktree holds, those from before the run first; where they
    /// do not fit, the ref stays and the note says how to go on.
    pub(crate) fn bring_back(&mut self, onto: &TreeId) -> Result<Vec<String>, GitError> {
        let (stash, yours) = (self.record.stash.clone(), self.record.yours.clone());
        let (mut now, mut staged, mut notes) = (onto.clone(), onto.clone(), Vec::new());
        for reference in stash.iter().chain(&yours) {
            if self.repo.commit_at(reference)?.is_none() {
                notes.push(format!(
                    "{reference}, which kept your changes, is gone; `git fsck --lost-found` may still find them"
                ));
                continue;
            }
            let base = self.repo.tree_at(&format!("{reference}^1"))?;
            let changed = self.repo.tree_at(reference)?;
            let Some(merged) = self.merge(&base, &now, &changed)? else {
                notes.push(self.unfit(reference, now != *onto));
                continue;
            };
            self.turn(&now, &merged)?;
            now = merged;
            if stash.as_ref() == Some(reference) {
                let index = self.repo.tree_at(&format!("{reference}^2"))?;
                staged = self.merge(&base, onto, &index)?.unwrap_or(staged);
            }
            notes.push(format!("your changes are back ({reference} still has them)"));
        }
        if now != *onto || staged != *onto {
            self.index.load(&staged)?;
            self.line_up_users_index(&staged)?;
        }
        Ok(notes)
    }

    /// Takes down changes that were not brought back, and says how a person gets them into the files.
    fn unfit(&mut self, reference: &str, has_others: bool) -> String {
        let apply = if self.record.stash.as_deref() == Some(reference) {
            self.by_hand(reference)
        } else if has_others {
            format!("commit what is in the files, then git cherry-pick -n {reference}")
        } else {
            format!("git cherry-pick -n {reference}")
        };
        let branch = &self.record.branch;
        let note =
            format!("your changes do not fit onto {branch}; they are kept as {reference}: {apply}");
        self.record.unreturned.push(Unreturned { stash: reference.to_owned(), apply });
        note
    }

    /// How a person gets kept changes into the files. What was staged can be staged again only where they came from,
    /// and that is no more where the run worked on that very branch.
    fn by_hand(&self, stash: &str) -> String {
        let Record { branch, came_from, .. } = &self.record;
        if came_from == branch {
            format!("git stash apply {stash}")
        } else {
            format!("git switch {came_from}, then git stash apply --index {stash}")
        }
    }

    /// The three-way merge of trees, or `None` where they conflict.
    pub(crate) fn merge(
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
