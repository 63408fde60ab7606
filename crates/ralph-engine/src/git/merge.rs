//! Three-way merges without a worktree: trees in, a tree or the paths in conflict out. Moves no ref.
//!
//! Attributes come with the files and anybody may have written them: no program they could choose is ever run.

use ralph_core::ids::{CommitId, TreeId};

use super::{
    binding::Git,
    error::GitError,
    files::{RelPath, shown, split_nul},
};

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
