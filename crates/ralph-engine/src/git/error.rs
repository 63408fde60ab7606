//! Everything that can keep git work from being done, in words for people. Must never hide what git itself said.

use std::{io, path::PathBuf};

use ralph_core::input::{Failure, FailureClass};

/// Why ralph could not do its git work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    #[error("git is not installed or not on the PATH")]
    NotInstalled,
    #[error("git {found} is too old")]
    TooOld { found: String },
    #[error("{} is not inside a git repository", dir.display())]
    NoRepository { dir: PathBuf },
    #[error("git refuses to work in {}: it belongs to another user", dir.display())]
    ForeignOwner { dir: PathBuf },
    #[error("{} is a bare repository: it has no files to work on", dir.display())]
    Bare { dir: PathBuf },
    #[error("{} is inside a git folder, not a worktree", dir.display())]
    InsideGitDir { dir: PathBuf },
    #[error("the files of {} are elsewhere: core.worktree is {}", dir.display(), files.display())]
    FilesElsewhere { dir: PathBuf, files: PathBuf },
    #[error("git reads its configuration from {}, which agents can write", file.display())]
    ForeignConfiguration { file: PathBuf },
    #[error("{what} leads to files that agents write, so nothing was started: {value}")]
    LeadsToAgents { what: String, value: String },
    #[error("{} through the filter {filter}, which may not run: {}", if *.total == 1 { "1 file goes".to_owned() } else { format!("{} files go", .total) }, .sample.join(", "))]
    Filter { filter: String, total: usize, sample: Vec<String> },
    #[error("cannot sign commits: {why}")]
    Signing { why: String },
    #[error("the repository has no commit yet")]
    NoCommit,
    #[error("no branch is checked out (detached HEAD)")]
    DetachedHead,
    #[error("git does not know who you are: {said}")]
    NoIdentity { said: String },
    #[error("a {what} is in progress")]
    InProgress { what: &'static str },
    #[error("{} tracked {} uncommitted changes: {}", .total, if *.total == 1 { "file has" } else { "files have" }, .sample.join(", "))]
    Dirty { total: usize, sample: Vec<String>, before: Before },
    #[error("uncommitted changes contain what looks like a secret, which --wip would commit: {}", .paths.join(", "))]
    SecretInChanges { paths: Vec<String> },
    #[error("found what looks like a secret in {}", .paths.join(", "))]
    SecretInFiles { paths: Vec<String> },
    #[error("the staged version of {} is in no commit and in no file", .paths.join(", "))]
    OnlyStaged { paths: Vec<String> },
    #[error("switching to {branch} would overwrite files that are in no commit: {}", .sample.join(", "))]
    WouldOverwrite { branch: String, sample: Vec<String>, before: Before },
    #[error("branch {branch} is checked out in another worktree at {path}")]
    BranchElsewhere { branch: String, path: String },
    #[error("{branch:?} is not a valid branch name")]
    BadBranch { branch: String },
    #[error("object {id} is missing from the repository")]
    MissingObject { id: String },
    #[error("{what}")]
    Damaged { what: String },
    #[error("branch {branch} is at {found}, not at {expected}")]
    BranchMoved { branch: String, expected: String, found: String },
    #[error("{} is held by another git process", lock.display())]
    Busy { lock: PathBuf },
    #[error("{commit} is not an ancestor of {branch}")]
    NotAnAncestor { commit: String, branch: String },
    #[error("files in {} keep changing, so no stable state was found", root.display())]
    Restless { root: PathBuf },
    #[error("git {command} timed out after 20 minutes")]
    Slow { command: String },
    #[error("git {command} failed: {said}")]
    Command { command: String, said: String },
    #[error("{what}: {source}")]
    Io { what: String, source: io::Error },
}

/// What the user's files are in the way of: each has ways of its own to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    Start,
    Resume,
    Undo,
}

impl Before {
    fn help_with_changes(self) -> &'static str {
        match self {
            Self::Start => {
                "commit them, or start with --wip (ralph commits them first), --stash (ralph keeps them \
                 and restores them at the end) or --worktree (ralph works in another folder)"
            }
            Self::Resume => {
                "commit or stash them (git stash push -- . ':!.ralph') and run the command again; or ralph run --fresh \
                 --stash starts a new run"
            }
            Self::Undo => {
                "commit or stash them (git stash push -- . ':!.ralph'), then ralph undo again"
            }
        }
    }

    fn help_with_files(self) -> &'static str {
        match self {
            Self::Start => "move or commit these files, or start with --worktree",
            Self::Resume => "move these files elsewhere",
            Self::Undo => "move these files elsewhere, then ralph undo again",
        }
    }
}

impl GitError {
    /// Wraps an error of the disk with what was being done.
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }

    /// What a person can do about it.
    pub fn help(&self) -> String {
        match self {
            Self::NotInstalled => "install git 2.39 or newer, and put it on PATH".into(),
            Self::TooOld { .. } => "update git to 2.39 or newer".into(),
            Self::NoRepository { .. } => {
                "run `git init`, or name the project with --project-dir".into()
            }
            Self::ForeignOwner { dir } => format!(
                "if you trust what is in it: git config --global --add safe.directory {}",
                dir.display()
            ),
            Self::Bare { .. } => "work in a clone of it, or in a worktree".into(),
            Self::InsideGitDir { .. } => "change to the folder that holds your files".into(),
            Self::FilesElsewhere { .. } => "run `git config --unset core.worktree`, or work in a clone".into(),
            Self::ForeignConfiguration { .. } => {
                "move it out of the worktree (git config --show-origin --list shows what includes it)".into()
            }
            Self::LeadsToAgents { what, .. } => format!(
                "move what {what} names out of the repository, for example to ~/.ssh or ~/.config/git, or push by hand \
                 after you have looked at it"
            ),
            Self::Signing { .. } => "make git commit -S work with a key and a program outside the repository, then run ralph resume; \
                 or set git.sign = false".into(),
            Self::Filter { filter, .. } => format!(
                "allow it to run, without network, with [git] filters = [\"{filter}\"] in \
                 .ralph/settings.local.toml or ~/.config/ralph/settings.toml, or remove it from .gitattributes"
            ),
            Self::NoCommit => {
                "make a first commit, for example `git commit --allow-empty -m start`".into()
            }
            Self::DetachedHead => {
                "switch to a branch first, for example `git switch -c my-work`".into()
            }
            Self::NoIdentity { .. } => "run `git config --global user.name \"…\"` and \
                 `git config --global user.email \"…\"`"
                .into(),
            Self::InProgress { what } => format!("finish or abort the {what} first"),
            Self::SecretInChanges { .. } => {
                "remove it, or use --stash, which keeps your changes out of the run's commits".into()
            }
            Self::SecretInFiles { .. } => "remove it, then commit the archive yourself".into(),
            Self::OnlyStaged { .. } => {
                "`git show :PATH` shows it; keep or unstage it, then commit the archive yourself".into()
            }
            Self::Dirty { before, .. } => before.help_with_changes().into(),
            Self::WouldOverwrite { before, .. } => before.help_with_files().into(),
            Self::BranchElsewhere { .. } => {
                "use another branch: ralph run --fresh --branch NAME --worktree; or, if it is checked out \
                 here, `git switch` to yours first; or remove a worktree that you no longer need".into()
            }
            Self::BadBranch { .. } => "choose another name with --branch".into(),
            Self::MissingObject { .. } => {
                "run `git fsck`; `ralph run --fresh` starts over from what is there".into()
            }
            Self::Damaged { .. } => "restore the repository".into(),
            Self::BranchMoved { branch, .. } => format!("check `git log {branch}`"),
            Self::Busy { lock } => format!(
                "wait for it to end; if no git runs here, remove {} and try again",
                lock.display()
            ),
            Self::NotAnAncestor { .. } => "switch to the run's branch first".into(),
            Self::Restless { .. } => "stop whatever writes there".into(),
            Self::Slow { .. } => {
                "look for very large files, .gitignore files with many `**`, and pipes in the worktree"
                    .into()
            }
            Self::Command { .. } => "fix what git reports".into(),
            Self::Io { .. } => "check the disk and the permissions".into(),
        }
    }
}

impl From<GitError> for Failure {
    fn from(error: GitError) -> Self {
        Self { class: FailureClass::Workspace, what: error.to_string(), help: error.help() }
    }
}
