//! Three-way merges: parked work onto the run branch, kept changes onto the run's files, a person's work out of an agent's.
//! Moves no ref.
//!
//! Attributes come with the files and anybody may have written them: no program they could choose is ever run.

use std::{fs, os::unix::fs::PermissionsExt as _};

use ralph_core::{
    effect::Reapply,
    ids::{CommitId, TreeId},
    input::Reapplied,
};

use super::{
    binding::Git,
    commit::write_commit,
    error::GitError,
    files::{RelPath, named, shown, split_nul},
    replace::Displaced,
    repository::Repository,
    worktree::Worktree,
};

/// So many paths are named.
const SAMPLE: usize = 10;

/// What came of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Merged {
    Clean(TreeId),
    /// These paths do not fit together.
    Conflict(Vec<RelPath>),
}

/// Merges two commits over their merge base.
pub(crate) fn merge(git: &Git, ours: &CommitId, theirs: &CommitId) -> Result<Merged, GitError> {
    let mut call = git.call(&["merge-tree", "--write-tree", "--no-messages", "--name-only", "-z"]);
    for driver in drivers(git)? {
        // A driver that fails leaves a conflict; one that does nothing would drop half of the work.
        call = call.config(format!("{driver}=false"));
    }
    let call = call.config("merge.renormalize=false").config("merge.directoryRenames=false");
    let reply = call.arg(ours.as_str()).arg(theirs.as_str()).run()?;
    let mut parts = split_nul(&reply.stdout);
    let tree = parts.next().map(|id| TreeId(shown(id).trim().to_owned()));
    match (reply.code, tree) {
        (0, Some(tree)) => Ok(Merged::Clean(tree)),
        (1, _) => Ok(Merged::Conflict(parts.map(<[u8]>::to_vec).collect())),
        _ => Err(reply.error("merge-tree")),
    }
}

/// The settings that name programs to merge with. In its box git knows of none, and merges as text.
fn drivers(git: &Git) -> Result<Vec<String>, GitError> {
    if git.manner().is_enclosed {
        return Ok(Vec::new());
    }
    let args = ["config", "--name-only", "-z", "--get-regexp", r"^merge\..*\.driver$"];
    let reply = git.call(&args).reads().found()?;
    Ok(split_nul(&reply.stdout).map(shown).collect())
}

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

impl Worktree {
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
        Ok(match merge(git, &ours, &theirs)? {
            Merged::Clean(tree) => Some(tree),
            Merged::Conflict(_) => None,
        })
    }

    /// The captured tree without what people changed of the files that they and the agent both changed: agents work
    /// over the worktree as it is, so that may be in what they leave. Says where it cannot be told apart.
    pub(crate) fn unmix(
        &mut self,
        tree: TreeId,
        start: &TreeId,
        notes: &mut Vec<String>,
    ) -> Result<TreeId, GitError> {
        let Some((names, theirs)) = self.both.take().filter(|_| tree != *start) else {
            return Ok(tree);
        };
        match self.merge(&theirs, &tree, start)? {
            Some(own) if own != tree => {
                self.turn(&tree, &own)?;
                self.users_index = None;
                Ok(own)
            }
            Some(_) => Ok(tree),
            None => {
                let names = named(&names, SAMPLE);
                notes.push(format!("what you changed in {names} may be part of the agent's work"));
                Ok(tree)
            }
        }
    }

    /// A tree with files that people have changed, which lie elsewhere.
    pub(crate) fn with_theirs(
        &self,
        base: &TreeId,
        theirs: &Displaced,
    ) -> Result<TreeId, GitError> {
        let mut entries = Vec::new();
        for (path, place) in theirs {
            let about = fs::symlink_metadata(place)
                .map_err(GitError::io(format!("cannot read {}", place.display())))?;
            let mode = match about.permissions().mode() & 0o100 {
                _ if about.is_symlink() => "120000",
                0 => "100644",
                _ => "100755",
            };
            let blob = self.index.blob(path, place, &["-w"])?;
            entries.extend(entry(mode, &blob, path));
        }
        self.with_entries(base, entries)
    }

    /// A tree with other entries in it, each as `entry` gives it.
    pub(crate) fn with_entries(&self, base: &TreeId, entries: Vec<u8>) -> Result<TreeId, GitError> {
        let mut index = self.scratch_index("theirs-index")?;
        index.load(base)?;
        let call = self.repo.git.call(&["update-index", "--replace", "-z", "--index-info"]);
        call.index(index.file()).stdin(entries).ok()?;
        index.write_tree()
    }
}

/// What git is told of an entry of an index; one of mode 0 goes.
pub(crate) fn entry(mode: &str, blob: &str, path: &[u8]) -> Vec<u8> {
    [format!("{mode} {blob}\t").as_bytes(), path, b"\0"].concat()
}
