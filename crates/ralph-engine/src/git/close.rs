//! Leaving the user's checkout in order at the end of a run.

use ralph_core::effect::CloseWorkspace;

use super::{error::GitError, linked, record::Phase, worktree::Worktree};

impl Worktree {
    /// Keeps unaccepted work aside, brings the user's changes back, and says where everything is.
    pub fn close(&mut self, request: &CloseWorkspace) -> Result<Vec<String>, GitError> {
        if self.record.phase == Phase::Closed {
            return Ok(Vec::new());
        }
        let mut notes = std::mem::take(&mut self.unsaid);
        notes.extend(self.keep_since()?);
        notes.extend(self.sweep()?.notes);
        let head = self.end_of_branch(&request.head)?;
        let moved = self.hold_refs(&head)?;
        if self.went_on.is_none() {
            notes.extend(moved);
        }
        let tree = self.tree_of(&head)?;
        if let Some(reference) = self.settle(&tree, &head, &request.keep_as)? {
            notes.push(format!(
                "unaccepted work is kept as {reference}; git diff HEAD {reference} shows it"
            ));
        }
        let tree = self.go_back(&tree)?.unwrap_or(tree);
        self.line_up_users_index(&tree)?;
        notes.append(&mut self.unsaid);
        if self.users_index.is_none() {
            notes.push("another git held the index; `git reset` brings it in line".to_owned());
        }
        notes.extend(self.bring_back(&tree)?);
        let branch = &self.record.branch;
        if self.record.is_linked {
            notes.push(format!("the work is on branch {branch}"));
            notes.extend(linked::remove(self)?);
        } else if *branch != self.record.came_from && self.repo.branch()? == *branch {
            let back = &self.record.came_from;
            notes.push(format!("you are on branch {branch}; `git switch {back}` goes back"));
        }
        self.record.phase = Phase::Closed;
        self.record.stash = None;
        self.record.yours.clear();
        self.record.head = request.head.clone();
        self.record.save(&self.truth)?;
        self.proved = None;
        Ok(notes)
    }
}
