//! A given-up task: its work stays on a branch of its own, the run branch goes back to where the task began.

use ralph_core::{effect::GiveUp, ids::CommitId};

use super::{error::GitError, quarantine::Keep, refs::tame, worktree::Worktree};

impl Worktree {
    /// Gives the branch that keeps the work, and where the run branch stands now.
    pub fn give_up(&mut self, request: &GiveUp) -> Result<(String, CommitId), GitError> {
        let tree = match &request.tree {
            Some(tree) => tree.clone(),
            None => self.tree_of(&request.head)?,
        };
        let reference = self.keep(&Keep {
            tree: &tree,
            parents: &[&request.head],
            reference: format!("refs/heads/{}", tame(&self.harmless(&request.branch))),
            message: &request.message,
        })?;
        self.kept.insert(tree, reference.clone());
        let run_branch = self.full_branch();
        let args = ["update-ref", "-m", "ralph: give up", &run_branch];
        let call = self.repo.git.call(&args).arg(request.began_at.as_str());
        let reply = call.arg(request.head.as_str()).run()?;
        if reply.code != 0 {
            let found = self.repo.commit_at(&run_branch)?.unwrap_or_default();
            if found != request.began_at {
                self.catch_up(&found, &request.head, &request.began_at)?;
            }
        }
        self.proved = None;
        self.users_index = None;
        let branch = reference.trim_start_matches("refs/heads/").to_owned();
        Ok((branch, request.began_at.clone()))
    }
}
