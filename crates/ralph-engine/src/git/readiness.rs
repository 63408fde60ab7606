//! What opening a run's workspace would refuse, as far as a look tells: before there is a run. Changes nothing.

use nix::unistd::AccessFlags;
use ralph_core::effect::{DirtyPolicy, OpenWorkspace};

use super::{
    error::{Before, GitError},
    record::Record,
    refs::is_ancestor,
    repository::Repository,
    scan::Status,
    uncommitted,
};

impl Repository {
    /// What keeps a run from working in this checkout, in the order in which it is put right.
    pub fn obstacles(&self, request: &OpenWorkspace) -> Result<Vec<GitError>, GitError> {
        let mut found = Vec::new();
        let mut check = |result: Result<(), GitError>| found.extend(result.err());
        check(self.check_identity());
        let (head, branch) = (self.head(), self.branch());
        let has_head = head.is_ok();
        check(head.map(drop));
        check(branch.map(drop));
        if !request.linked_worktree {
            check(self.check_nothing_in_progress());
            if has_head && request.dirty == DirtyPolicy::Refuse {
                check(self.check_unchanged(request));
            }
        }
        Ok(found)
    }

    fn check_unchanged(&self, request: &OpenWorkspace) -> Result<(), GitError> {
        let status = Status::of_tracked(&self.git, &self.submodules()?)?;
        let before = if request.resume_at.is_none() { Before::Start } else { Before::Resume };
        uncommitted::check(&status, request.dirty, before)
    }

    /// Whether this user may write where a run writes: the repository's own folder and the worktree.
    pub fn is_writable(&self) -> bool {
        [self.git_dir(), self.common_dir(), self.root()]
            .into_iter()
            .all(|folder| nix::unistd::access(folder, AccessFlags::W_OK).is_ok())
    }

    /// Whether a branch has commits that another one lacks.
    pub fn is_ahead(&self, branch: &str, of: &str) -> Result<bool, GitError> {
        let tip = |name: &str| self.commit_at(&format!("refs/heads/{name}"));
        match (tip(branch)?, tip(of)?) {
            (Some(tip), Some(base)) => Ok(!is_ancestor(&self.git, tip.as_str(), base.as_str())?),
            _ => Ok(false),
        }
    }
}

/// The branch that the user was on before the first run got onto this one, by the records of former runs beside `truth`.
pub(super) fn base_of(branch: &str, truth: &std::path::Path) -> Option<String> {
    let runs = std::fs::read_dir(truth.parent()?).ok()?;
    let mut runs: Vec<_> = runs.flatten().map(|entry| entry.path()).collect();
    runs.sort_unstable();
    let records = runs.iter().rev().flat_map(|run| Record::all(run).unwrap_or_default());
    let mut bases = records.filter(|one| one.branch == branch && one.came_from != branch);
    bases.next().map(|record| record.came_from)
}
