//! `ralph undo`: taking a branch and its checkout back to an earlier commit, with the way forward kept.

use ralph_core::{effect::DirtyPolicy, ids::CommitId};

use super::{
    error::{Before, GitError},
    files::sample,
    index::PrivateIndex,
    obstructions::Aside,
    refs::{is_ancestor, tame},
    repository::Repository,
    scan::Status,
    uncommitted::{self, SAMPLE},
};

/// What an undo did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    pub branch: String,
    pub from: CommitId,
    pub to: CommitId,
    /// Ref that keeps where the branch stood; `None` if it already stood there.
    pub kept: Option<String>,
}

impl Repository {
    /// The commits of `HEAD` that `base` does not have, newest first, each with its first line.
    pub fn commits_since(&self, base: &CommitId) -> Result<Vec<(CommitId, String)>, GitError> {
        let args = ["log", "--encoding=UTF-8", "--format=%H%x00%s", "HEAD", "--not", base.as_str()];
        let said = self.git.call(&args).arg("--").reads().ok()?;
        let lines = String::from_utf8_lossy(&said).into_owned();
        let commits = lines.lines().filter_map(|line| line.split_once('\0'));
        Ok(commits.map(|(id, subject)| (CommitId::from(id), subject.to_owned())).collect())
    }

    /// Takes the current branch and its files back to `to`; `time` names the ref that keeps the old tip.
    pub fn undo_to(&self, to: &CommitId, time: &str) -> Result<Undone, GitError> {
        let (branch, from) = (self.branch()?, self.head()?);
        self.check_nothing_in_progress()?;
        self.check_filters()?;
        let Some(to) = self.commit_at(to.as_str())? else {
            return Err(GitError::MissingObject { id: to.to_string() });
        };
        if from == to {
            return Ok(Undone { branch, from, to, kept: None });
        }
        if !is_ancestor(&self.git, to.as_str(), from.as_str())? {
            return Err(GitError::NotAnAncestor { commit: to.short().to_owned(), branch });
        }
        let status = Status::read(&self.git, None, &[])?;
        uncommitted::check(&status, DirtyPolicy::Refuse, Before::Undo)?;
        let folder = self.common_dir().join("ralph");
        let aside = Aside::new(folder.join("set-aside"));
        let mut index = PrivateIndex::scratch(&self.git, self.root(), folder.join("undo/index"))?;
        index.start_from(&self.git_dir().join("index"))?;
        let (old, new) = (self.tree_at(from.as_str())?, self.tree_at(to.as_str())?);
        let blockers = index.blockers(&old, &new)?;
        if !blockers.is_empty() {
            let sample = sample(&blockers, SAMPLE);
            return Err(GitError::WouldOverwrite { branch, sample, before: Before::Undo });
        }
        let kept = self.keep_tip(&from, time)?;
        index.turn(&old, &new, &aside)?;
        let name = format!("refs/heads/{branch}");
        self.git.set_ref("undo", &name, to.as_str()).arg(from.as_str()).ok()?;
        index.install(&self.git_dir().join("index"))?;
        Ok(Undone { branch, from, to, kept: Some(kept) })
    }

    fn keep_tip(&self, tip: &CommitId, time: &str) -> Result<String, GitError> {
        let base = format!("refs/ralph/undo/{}", tame(time));
        let mut name = base.clone();
        let mut number = 1;
        while let Some(there) = self.commit_at(&name)? {
            if there == *tip {
                return Ok(name);
            }
            number += 1;
            name = format!("{base}-{number}");
        }
        self.git.set_ref("undo", &name, tip.as_str()).arg("").ok()?;
        Ok(name)
    }
}
