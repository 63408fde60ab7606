//! Leaving the workspace of a run whose journal cannot be read: git alone says where everything is.

use std::path::Path;

use ralph_core::{
    effect::{CloseWorkspace, DirtyPolicy, OpenWorkspace},
    ids::RunId,
};

use super::{
    error::GitError,
    record::{Phase, Record, retire},
    repository::Repository,
};

impl Repository {
    /// Keeps what lies in the files under a ref, brings the user's changes back, and leaves the run's branch where it
    /// is. The workspace is not opened again.
    pub fn release(&self, run: &RunId, truth: &Path) -> Result<Vec<String>, GitError> {
        let mut notes = Vec::new();
        if let Some(record) = Record::load(truth)?.filter(|it| it.phase != Phase::Closed) {
            let tip = self.commit_at(&format!("refs/heads/{}", record.branch))?;
            let head = tip.unwrap_or_else(|| record.head.clone());
            let request = OpenWorkspace {
                branch: record.branch.clone(),
                dirty: DirtyPolicy::Refuse,
                linked_worktree: record.is_linked,
                resume_at: Some(head.clone()),
                only_looks: false,
            };
            let (workspace, mut worktree) = self.reopen(record, &request, run, truth)?;
            let keep_as = "unaccepted/released".to_owned();
            let close = CloseWorkspace { head, stash: workspace.stash, keep_as };
            notes = worktree.close(&close)?;
        }
        retire(truth).map_err(GitError::io(format!("cannot change {}", truth.display())))?;
        Ok(notes)
    }
}
