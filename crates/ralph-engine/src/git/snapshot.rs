//! A look at the user's files as they are: a commit of them that no branch names, to make throwaway copies of.
//!
//! Must never change anything the user can see: no branch, no index of theirs, no file.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use ralph_core::{
    ids::{CommitId, TreeId},
    input::Workspace,
};

use super::{
    copy::{self, Origin, ThrowawayCopy},
    error::GitError,
    files::{RelPath, make_folder, on_disk, shown},
    index::PrivateIndex,
    obstructions::Aside,
    repository::Repository,
    scan::{Changes, Status},
    untracked_copy::Limits,
};

/// The branch of a copy where the user is on none.
const NO_BRANCH: &str = "work";

/// Where somebody looks and nobody works.
#[derive(Debug)]
pub struct Glance {
    repo: Repository,
    branch: String,
    submodules: Vec<RelPath>,
}

impl Repository {
    /// Takes down the tracked files as they are now, with changes that are in no commit. Untracked files come along
    /// with every copy. Works in any state of the checkout, and before the first commit.
    pub fn glance(&self, truth: &Path, state_home: &Path) -> Result<(Workspace, Glance), GitError> {
        self.check_filters()?;
        make_folder(truth)?;
        let mut notes = copy::clear(self, state_home);
        let submodules = self.submodules()?;
        let parent = self.commit_at("HEAD")?;
        let base = match &parent {
            Some(commit) => self.tree_at(commit.as_str())?,
            None => TreeId(self.git.call(&["mktree"]).stdin(Vec::new()).line()?),
        };
        let mut index = PrivateIndex::new(&self.git, self.root(), truth.join("stage/index"))?;
        index.start_from(&self.git_dir().join("index"))?;
        index.load(&base)?;
        let changes = self.changed(&index, &submodules)?;
        let tree = index.apply(&changes, &Aside::new(truth.join("set-aside")))?;
        notes.extend(index.unfit().into_iter().map(|one| {
            let path = shown(&one.path);
            format!("git does not take {path} ({}): the copy has it as it was committed", one.why)
        }));
        let head = self.unnamed_commit(&tree, parent.as_ref())?;
        let workspace = Workspace {
            root: self.root().to_string_lossy().into_owned(),
            head,
            tree,
            notes,
            ..Workspace::default()
        };
        let branch = self.branch().unwrap_or_else(|_| NO_BRANCH.to_owned());
        Ok((workspace, Glance { repo: self.clone(), branch, submodules }))
    }

    /// Tracked files that differ from the index, as far as they can be read without touching them.
    fn changed(&self, index: &PrivateIndex, submodules: &[RelPath]) -> Result<Changes, GitError> {
        let status = Status::read(&self.git, Some(index.file()), submodules)?;
        let mut changes = Changes { gone: status.gone, present: Vec::new() };
        for path in status.modified {
            match fs::symlink_metadata(on_disk(self.root(), &path)) {
                Ok(entry) if entry.is_dir() => changes.gone.push(path),
                Ok(entry) if entry.is_symlink() => changes.present.push(path),
                Ok(entry) if entry.is_file() && entry.permissions().mode() & 0o400 != 0 => {
                    changes.present.push(path);
                }
                _ => {}
            }
        }
        Ok(changes)
    }

    /// A commit of ralph's own, whoever the user is to git.
    fn unnamed_commit(
        &self,
        tree: &TreeId,
        parent: Option<&CommitId>,
    ) -> Result<CommitId, GitError> {
        let mut call = self
            .git
            .call(&["commit-tree", tree.as_str(), "-m", "the files as a planner sees them"])
            .config("user.name=ralph")
            .config("user.email=ralph@localhost");
        if let Some(parent) = parent {
            call = call.arg("-p").arg(parent.as_str());
        }
        Ok(CommitId(call.line()?))
    }
}

impl Glance {
    /// Makes a copy of what was seen, with the files beside it that are in no commit.
    pub fn copy(&self, commit: &CommitId, state_home: &Path) -> Result<ThrowawayCopy, GitError> {
        let origin =
            Origin { repo: &self.repo, branch: &self.branch, submodules: &self.submodules };
        origin.copy(commit, state_home, Limits::default())
    }
}
