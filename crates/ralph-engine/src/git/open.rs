//! Getting onto the run's branch: what is the user's is made safe first, then the checkout changes.
//!
//! Must leave a record from which a crashed opening, or a crashed run, can be taken up again.

use std::{fs, path::Path};

use ralph_core::{
    effect::{DirtyPolicy, OpenWorkspace},
    ids::{CommitId, RunId},
    input::Workspace,
};

use super::{
    copy,
    error::{Before, GitError},
    files::{RelPath, about_and_path, make_folder, split_nul},
    index::stamp,
    linked, locks,
    readiness::base_of,
    record::{Phase, Record, unreturned},
    refs::{Move, Refs, is_ancestor, tame},
    repository::Repository,
    scan::Status,
    survey, uncommitted,
    untracked::Untracked,
    worktree::Worktree,
};

/// Where the run branch is and where it is to stand.
pub(crate) struct Target {
    pub(crate) branch: String,
    pub(crate) head: CommitId,
    pub(crate) exists: bool,
    /// The tip that is moved forward to where the run begins.
    pub(crate) forward_from: Option<CommitId>,
    pub(crate) notes: Vec<String>,
}

impl Repository {
    /// Gets onto the run branch, or back onto it after a crash or a close.
    pub fn open(
        &self,
        request: &OpenWorkspace,
        run: &RunId,
        truth: &Path,
        state_home: &Path,
    ) -> Result<(Workspace, Worktree), GitError> {
        self.check_filters()?;
        make_folder(truth)?;
        self.check_branch_name(&request.branch)?;
        self.check_identity()?;
        if Untracked::is_remembered(truth) {
            locks::remove_stale(self.git_dir(), self.common_dir(), self.root())?;
        }
        let left = copy::clear(self, state_home);
        let repo = self.clone().with_identity();
        let (mut workspace, worktree) = match Record::load(truth)? {
            Some(record) if record.phase != Phase::Closed => {
                repo.reopen(record, request, run, truth)
            }
            _ if request.linked_worktree => repo.begin_linked(request, run, truth, state_home),
            _ => repo.begin_in_place(request, run, truth),
        }?;
        workspace.notes.extend(left);
        Ok((workspace, worktree))
    }

    fn begin_in_place(
        &self,
        request: &OpenWorkspace,
        run: &RunId,
        truth: &Path,
    ) -> Result<(Workspace, Worktree), GitError> {
        let head = self.head()?;
        let came_from = self.branch()?;
        self.check_nothing_in_progress()?;
        let mut target = self.target(request, run, &head)?;
        let submodules = self.submodules()?;
        let mut status = Status::read(&self.git, None, &submodules)?;
        if request.dirty == DirtyPolicy::Stash {
            status.count_displacing();
        }
        if status.is_unmerged {
            return Err(GitError::InProgress { what: "merge" });
        }
        let is_new = request.resume_at.is_none();
        let before = if is_new { Before::Start } else { Before::Resume };
        uncommitted::check(&status, request.dirty, before)?;
        let record = self.record(&target, &came_from, submodules, truth)?;
        let mut worktree = Worktree::new(self.clone(), run, truth, record)?;
        let heads_tree = worktree.tree_of(&head)?;
        worktree.check_way(&head, &target, &status, before)?;
        worktree.remember_untracked(&status.unknown, &mut target.notes)?;
        let saved = uncommitted::save(&mut worktree, &status, request.dirty, &head)?;
        if let Some(wip) = saved.wip {
            // The user's commit belongs under the run's work wherever that begins at the user's branch.
            if target.head == head || target.branch == came_from {
                target.head = wip.clone();
            }
            worktree.trees.insert(wip, saved.tree.clone());
        }
        if saved.is_nothing {
            worktree.index.start_from(&self.git_dir().join("index"))?;
            worktree.index.load(&heads_tree)?;
        }
        target.notes.extend(saved.notes);
        worktree.record.stash = saved.stash;
        if came_from == target.branch {
            // Where an earlier run, or an earlier process of this one, left the user: they came from where they came
            // from then.
            worktree.record.stashed_on = Some(came_from.clone());
            worktree.record.came_from = match Record::load(truth)? {
                Some(then) => then.came_from,
                None => base_of(&target.branch, truth).unwrap_or(came_from),
            };
        }
        worktree.record.head = target.head.clone();
        worktree.record.save(truth)?;
        worktree.finish_opening(target, &head)
    }

    fn begin_linked(
        &self,
        request: &OpenWorkspace,
        run: &RunId,
        truth: &Path,
        state_home: &Path,
    ) -> Result<(Workspace, Worktree), GitError> {
        let head = self.head()?;
        let came_from = self.branch()?;
        self.git.call(&["worktree", "prune"]).ok()?;
        let target = self.target(request, run, &head)?;
        if came_from == target.branch {
            let path = self.root().display().to_string();
            return Err(GitError::BranchElsewhere { branch: came_from, path });
        }
        let path = linked::place(self, run, state_home);
        let mut record = self.record(&target, &came_from, self.submodules()?, truth)?;
        record.is_linked = true;
        record.root.clone_from(&path);
        record.dot_gits.clear();
        record.save(truth)?;
        Untracked::remember(truth, &[], &[])?;
        self.place_branch(&target)?;
        let repo = linked::add(self, &path, &target.branch)?.with_secrets_of(self);
        record.dot_gits = survey::survey(repo.root())?;
        record.save(truth)?;
        let mut worktree = Worktree::new(repo, run, truth, record)?;
        worktree.index.start_from(&worktree.repo.git_dir().join("index"))?;
        let head = target.head.clone();
        worktree.finish_opening(Target { exists: true, forward_from: None, ..target }, &head)
    }

    /// Takes up what an earlier process left, whatever state it is in.
    pub(super) fn reopen(
        &self,
        mut record: Record,
        request: &OpenWorkspace,
        run: &RunId,
        truth: &Path,
    ) -> Result<(Workspace, Worktree), GitError> {
        let head = request.resume_at.clone().unwrap_or_else(|| record.head.clone());
        self.tree_at(head.as_str())?;
        let repo = match (record.is_linked, record.root.exists()) {
            (true, _) => linked::again(self, &mut record, &head)?,
            (false, true) => Self::locate(&self.git, &record.root)?.with_secrets_of(self),
            (false, false) => self.clone(),
        };
        repo.root().clone_into(&mut record.root);
        let elsewhere = repo.branch().ok().filter(|branch| *branch != record.branch);
        if elsewhere.is_some() {
            repo.check_left(&record)?;
        }
        locks::remove_stale(repo.git_dir(), repo.common_dir(), repo.root())?;
        let is_half_open = record.phase == Phase::Opening;
        let mut worktree = Worktree::new(repo, run, truth, record)?;
        let branch = worktree.record.branch.clone();
        let mut target =
            Target { branch, head, exists: true, forward_from: None, notes: Vec::new() };
        if is_half_open {
            target.notes = worktree.hold_refs(&target.head)?;
            target.notes.extend(worktree.sweep()?.notes);
            let head = target.head.clone();
            return worktree.finish_opening(target, &head);
        }
        // What is staged from now on is nobody's but the user's.
        worktree.left_index = stamp(&worktree.repo.git_dir().join("index"));
        target.notes.extend(worktree.keep_staged(None)?);
        worktree.see_their_tip(&target.head)?;
        if let Some(branch) = elsewhere.filter(|_| worktree.record.is_layered) {
            worktree.begin_from(branch)?;
        } else {
            worktree.keep_since()?;
            target.notes.append(&mut worktree.unsaid);
        }
        // Refs stay as they are: whoever goes on must still see what the agent did to them, or ralph's own commit.
        worktree.recall_refs();
        worktree.record.save(truth)?;
        worktree.described(target)
    }

    /// Somebody went on with another branch: what is half done there would be mixed up with the run.
    fn check_left(&self, record: &Record) -> Result<(), GitError> {
        self.check_nothing_in_progress()?;
        if record.is_layered && !record.is_linked {
            let status = Status::read(&self.git, None, &record.submodules)?;
            uncommitted::check(&status, DirtyPolicy::Refuse, Before::Resume)?;
        }
        Ok(())
    }

    /// Where the run branch is to stand when a run begins or goes on.
    fn target(
        &self,
        request: &OpenWorkspace,
        run: &RunId,
        head: &CommitId,
    ) -> Result<Target, GitError> {
        let run = tame(run.as_str());
        let name = format!("refs/heads/{}", request.branch);
        let mut refs = Refs::read(&self.git, self.root(), &run)?;
        if let Some(path) = refs.elsewhere(&name) {
            let (branch, path) = (request.branch.clone(), path.to_owned());
            return Err(GitError::BranchElsewhere { branch, path });
        }
        let tip = refs.get(&name).map(CommitId::from);
        let mut target = Target {
            branch: request.branch.clone(),
            exists: tip.is_some(),
            head: tip.clone().or(request.resume_at.clone()).unwrap_or_else(|| head.clone()),
            forward_from: None,
            notes: Vec::new(),
        };
        if let (Some(tip), None) = (&tip, &request.resume_at) {
            self.take_forward(&mut target, tip, head)?;
        }
        let (Some(tip), Some(expected)) = (tip, &request.resume_at) else {
            return Ok(target);
        };
        if tip != *expected && is_ancestor(&self.git, expected.as_str(), tip.as_str())? {
            target.notes.push(format!("{name} has new commits; the run continues from there"));
        } else if tip != *expected {
            let back = Move { name, now: Some(tip.to_string()), back_to: expected.to_string() };
            target.notes.extend(refs.put_back(&self.git, &run, &[back])?);
            target.head = expected.clone();
        }
        Ok(target)
    }

    /// A branch whose commits are all in the user's by now goes on from there, not from where it once stood.
    fn take_forward(
        &self,
        target: &mut Target,
        tip: &CommitId,
        head: &CommitId,
    ) -> Result<(), GitError> {
        if tip != head && is_ancestor(&self.git, tip.as_str(), head.as_str())? {
            target.forward_from = Some(tip.clone());
            target.head = head.clone();
            let text = format!(
                "{} continues from {}, which contains all of it",
                target.branch,
                head.short()
            );
            target.notes.push(text);
        }
        Ok(())
    }

    fn record(
        &self,
        target: &Target,
        came_from: &str,
        submodules: Vec<RelPath>,
        truth: &Path,
    ) -> Result<Record, GitError> {
        Ok(Record {
            v: 1,
            phase: Phase::Opening,
            branch: target.branch.clone(),
            came_from: came_from.to_owned(),
            root: self.root().to_owned(),
            head: target.head.clone(),
            dot_gits: survey::survey(self.root())?,
            submodules,
            is_taken: self.is_taken(&target.head, came_from, truth)?,
            unreturned: unreturned(truth),
            ..Record::default()
        })
    }

    fn check_branch_name(&self, branch: &str) -> Result<(), GitError> {
        let call = self.git.call(&["check-ref-format", "--branch", branch]).reads();
        match call.run()?.code {
            0 => Ok(()),
            _ => Err(GitError::BadBranch { branch: branch.to_owned() }),
        }
    }

    /// Makes the run branch, or moves it forward; one that stays where it is needs nothing.
    pub(crate) fn place_branch(&self, target: &Target) -> Result<(), GitError> {
        if target.exists && target.forward_from.is_none() {
            return Ok(());
        }
        let name = format!("refs/heads/{}", target.branch);
        let old = target.forward_from.as_ref().map_or("", CommitId::as_str);
        self.git.set_ref("run branch", &name, target.head.as_str()).arg(old).ok().map(drop)
    }

    /// Paths that are repositories of their own by the index.
    pub(crate) fn submodules(&self) -> Result<Vec<RelPath>, GitError> {
        let out = self.git.call(&["ls-files", "--stage", "-z"]).reads().ok()?;
        let links = split_nul(&out).filter(|line| line.starts_with(b"160000 "));
        Ok(links.filter_map(about_and_path).map(|(_, path)| path.to_vec()).collect())
    }

    pub(crate) fn has_hooks(&self) -> bool {
        let hooks = fs::read_dir(self.common_dir().join("hooks"));
        hooks.is_ok_and(|hooks| {
            hooks.flatten().any(|hook| !hook.file_name().to_string_lossy().ends_with(".sample"))
        })
    }
}
