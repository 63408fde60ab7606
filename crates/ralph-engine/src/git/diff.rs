//! What two trees do not have alike: file by file, and as a patch of bounded size for people.

use ralph_core::{
    ids::{CommitId, TreeId},
    report::FileChange,
};

use super::{
    binding::Git,
    error::GitError,
    files::{RelPath, shown, split_nul, word},
    repository::Repository,
};

/// The mode of what is not there, and of a repository inside another.
const NOTHING: &str = "000000";
const REPOSITORY: &str = "160000";

/// A path at which two trees differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Changed {
    pub(crate) path: RelPath,
    old_mode: String,
    pub(crate) mode: String,
    pub(crate) old_id: String,
    pub(crate) id: String,
}

impl Changed {
    /// Reads what `diff-tree -z` prints.
    pub(crate) fn read(out: &[u8]) -> Vec<Self> {
        let (mut parts, mut all) = (split_nul(out), Vec::new());
        while let (Some(about), Some(path)) = (parts.next(), parts.next()) {
            let about = about.strip_prefix(b":").unwrap_or(about);
            let field = |number: usize| shown(word(about, number).unwrap_or_default());
            let (old_mode, mode, old_id, id) = (field(0), field(1), field(2), field(3));
            all.push(Self { path: path.to_vec(), old_mode, mode, old_id, id });
        }
        all
    }

    pub(crate) fn is_new(&self) -> bool {
        self.old_mode == NOTHING
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.mode == NOTHING
    }

    /// Whether the new tree has a repository there.
    pub(crate) fn is_repository(&self) -> bool {
        self.mode == REPOSITORY
    }

    /// Whether neither tree has a file there.
    pub(crate) fn is_no_file(&self) -> bool {
        !self.had_file() && !self.has_file()
    }

    /// Whether the old tree has a file or link there.
    pub(crate) fn had_file(&self) -> bool {
        is_file(&self.old_mode)
    }

    /// Whether the new tree has a file or link there.
    pub(crate) fn has_file(&self) -> bool {
        is_file(&self.mode)
    }
}

fn is_file(mode: &str) -> bool {
    ![NOTHING, REPOSITORY].contains(&mode)
}

/// Where two trees or commits differ, in order.
pub(crate) fn diff(git: &Git, from: &str, to: &str) -> Result<Vec<Changed>, GitError> {
    let out = git.call(&["diff-tree", "-r", "-z", "--no-renames", from, to]).reads().ok()?;
    Ok(Changed::read(&out))
}

impl Repository {
    /// By how many lines two commits differ, file by file.
    pub fn numstat(&self, from: &CommitId, to: &CommitId) -> Result<Vec<FileChange>, GitError> {
        let how = ["diff-tree", "-r", "-z", "--numstat", "--no-renames", "--no-ext-diff"];
        let call = self.git.call(&how).arg("--no-textconv").arg("--ignore-submodules=all");
        let out = call.arg(from.as_str()).arg(to.as_str()).reads().ok()?;
        let read = |line: &[u8]| {
            let line = shown(line);
            let mut parts = line.splitn(3, '\t');
            // Git writes `-` for what is no text.
            let (added, removed) = (parts.next()?.parse().ok(), parts.next()?.parse().ok());
            Some(FileChange { path: parts.next()?.to_owned(), added, removed })
        };
        Ok(split_nul(&out).filter_map(read).collect())
    }

    /// The patch from one tree to another, cut after `most` bytes with a line that says so.
    pub fn patch(&self, from: &TreeId, to: &TreeId, most: usize) -> Result<Vec<u8>, GitError> {
        let how = ["diff-tree", "-r", "-p", "--no-ext-diff", "--no-textconv", "--no-color"];
        let call = self.git.call(&how).arg("--find-renames").arg("--ignore-submodules=all");
        let reply = call.arg(from.as_str()).arg(to.as_str()).reads().cut_at(most).run()?;
        if reply.code != 0 && !reply.is_cut {
            return Err(reply.error("diff-tree"));
        }
        let mut patch = reply.stdout;
        if reply.is_cut {
            patch.extend_from_slice(format!("\n[cut after {most} bytes]\n").as_bytes());
        }
        Ok(patch)
    }
}
