//! Leaving the user's checkout in order at the end of a run, with their kept changes on whatever the run made of the files.

use std::{collections::BTreeMap, path::Path};

use ralph_core::{
    effect::{CloseWorkspace, DirtyPolicy, OpenWorkspace},
    ids::{RunId, TreeId},
};

use super::{
    diff::{Changed, diff},
    error::GitError,
    files::RelPath,
    linked,
    merge::entry,
    record::{Phase, Record, Unreturned, retire},
    repository::Repository,
    worktree::Worktree,
};

/// So often what people save while their changes come back comes back as well.
const ROUNDS: usize = 5;

impl Worktree {
    /// Keeps unaccepted work aside, brings the user's changes back, and says where everything is.
    pub fn close(&mut self, request: &CloseWorkspace) -> Result<Vec<String>, GitError> {
        if self.record.phase == Phase::Closed {
            return Ok(Vec::new());
        }
        let mut notes = std::mem::take(&mut self.unsaid);
        let is_seen = self.keep_since()?;
        notes.append(&mut self.unsaid);
        notes.extend(self.sweep()?.notes);
        let head = self.end_of_branch(&request.head)?;
        let moved = self.hold_refs(&head)?;
        if self.went_on.is_none() {
            notes.extend(moved);
        }
        let tree = self.tree_of(&head)?;
        if let Some(reference) = self.settle(is_seen, &tree, &head, &request.keep_as)? {
            notes.push(format!(
                "unaccepted work is kept as {reference}; git diff HEAD {reference} shows it"
            ));
        }
        let tree = self.go_back(&tree)?.unwrap_or(tree);
        self.line_up_users_index(&tree)?;
        notes.append(&mut self.unsaid);
        if self.users_index.is_none() {
            notes.push("another git process held the index; `git reset` updates it".to_owned());
        }
        notes.extend(self.bring_back(&tree)?);
        notes.extend(self.aside.note());
        notes.extend(self.note_found()?);
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

    /// What lay in the files when nobody should have written there came from an agent that was cut off or from a
    /// person; where it is must be said once more.
    fn note_found(&self) -> Result<Option<String>, GitError> {
        let mut found = self.repo.refs_of(&self.run)?;
        found.retain(|name| name.contains("/found/"));
        Ok((!found.is_empty()).then(|| {
            let names = found.join(", ");
            format!("changes that lay in the files between calls are kept as {names}; git show REF shows them")
        }))
    }

    /// Brings the kept changes back onto the tree that the worktree holds, those from before the run first; where they
    /// do not fit, the ref stays and the note says how to go on.
    pub(crate) fn bring_back(&mut self, onto: &TreeId) -> Result<Vec<String>, GitError> {
        let stash = self.record.stash.clone();
        let (mut now, mut staged, mut notes) = (onto.clone(), onto.clone(), Vec::new());
        let (mut back, mut saved, mut number) = (Vec::new(), BTreeMap::new(), 0);
        let most = stash.iter().len() + self.record.yours.len() + ROUNDS;
        // What is saved meanwhile joins them.
        while let Some(reference) = stash.iter().chain(&self.record.yours).nth(number).cloned() {
            number += 1;
            if self.repo.commit_at(&reference)?.is_none() {
                notes.push(format!(
                    "{reference}, which kept your changes, is gone; `git fsck --lost-found` may still find them"
                ));
                continue;
            }
            let base = self.repo.tree_at(&format!("{reference}^1"))?;
            let changed = self.repo.tree_at(&reference)?;
            // Somebody who does not stop saving must not keep the run from ending.
            let is_late = number > most;
            let merged = if is_late { None } else { self.fit(&base, &now, &changed, &saved)? };
            let Some(merged) = merged else {
                notes.push(self.unfit(&reference, now != *onto));
                continue;
            };
            let files = diff(&self.repo.git, base.as_str(), changed.as_str())?;
            saved.extend(files.into_iter().map(|it| (it.path.clone(), it)));
            self.turn(&now, &merged)?;
            now = merged;
            if stash.as_ref() == Some(&reference) {
                let index = self.repo.tree_at(&format!("{reference}^2"))?;
                staged = self.merge(&base, onto, &index)?.unwrap_or(staged);
            }
            back.push(reference);
        }
        if !back.is_empty() {
            let still = if back.len() == 1 { "still has them" } else { "still have every save" };
            notes.push(format!("your changes are back ({} {still})", back.join(", ")));
        }
        if now != *onto || staged != *onto {
            self.index.load(&staged)?;
            self.line_up_users_index(&staged)?;
        }
        Ok(notes)
    }

    /// Kept changes on what the files are by now. Whoever saves a file again means what they saved last: where that does
    /// not fit beside what they had `saved` before, it takes its place.
    fn fit(
        &self,
        base: &TreeId,
        now: &TreeId,
        changed: &TreeId,
        saved: &BTreeMap<RelPath, Changed>,
    ) -> Result<Option<TreeId>, GitError> {
        let merged = self.merge(base, now, changed)?;
        if merged.is_some() || saved.is_empty() {
            return Ok(merged);
        }
        let files = diff(&self.repo.git, base.as_str(), changed.as_str())?;
        let before = files.iter().filter_map(|it| saved.get(&it.path));
        let entries = before.flat_map(|it| entry(&it.mode, &it.id, &it.path)).collect();
        let base = self.with_entries(base, entries)?;
        self.merge(&base, now, changed)
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
        let Record { branch, came_from, stashed_on, .. } = &self.record;
        let was_on = stashed_on.as_ref().unwrap_or(came_from);
        if was_on == branch {
            format!("git stash apply {stash}")
        } else {
            format!("git switch {was_on}, then git stash apply --index {stash}")
        }
    }
}

impl Repository {
    /// Leaves the workspace of a run that nobody can go on with, so git alone says where everything is: what lies in
    /// the files is kept under a ref, the user's changes come back, the run's branch stays where it is. The workspace
    /// is not opened again.
    pub fn release(&self, run: &RunId, truth: &Path) -> Result<Vec<String>, GitError> {
        let mut notes = Vec::new();
        if let Some(record) = Record::load(truth)?.filter(|it| it.phase != Phase::Closed) {
            let tip = self.commit_at(&format!("refs/heads/{}", record.branch))?;
            let tip = tip.map_or_else(|| self.commit_at(record.head.as_str()), |tip| Ok(Some(tip)));
            let head = tip?.map_or_else(|| self.head(), Ok)?;
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
