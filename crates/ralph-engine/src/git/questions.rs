//! Questions of commands that begin no run: which git there is, whose it is, how a checkout is, what git tracks. And a new
//! repository, and one file as git has it.
//!
//! Asked the same way as everything else: what lies in the folder must not be able to answer for git.

use std::{collections::BTreeSet, ffi::OsString, path::Path};

use ralph_core::ids::CommitId;

use super::{
    binding::Git, environment::GitEnv, error::GitError, files::shown, refs::is_ancestor,
    repository::Repository, scan::Status,
};

/// How a checkout stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Standing {
    /// `None` where no branch is checked out.
    pub branch: Option<String>,
    /// Tracked files with changes.
    pub changed: usize,
    /// Files and folders that git does not know, without ralph's own.
    pub untracked: usize,
    pub has_commits: bool,
}

/// The version of the git that would be used in this folder.
pub fn version(folder: &Path) -> Option<String> {
    let (_, line) = Git::unbound(GitEnv::inherited().outside(folder)).ok()?;
    let words = line.split_whitespace();
    words.map(str::to_owned).find(|word| word.starts_with(|letter: char| letter.is_ascii_digit()))
}

/// Who commits are by in this folder, as far as git was told: a name and an address.
pub fn identity(folder: &Path) -> (Option<String>, Option<String>) {
    let here = Repository::discover(folder).ok();
    let anywhere = Git::unbound(GitEnv::inherited().outside(folder)).ok();
    let value = |key: &str| {
        let args = ["config", "--get", key];
        let line = match (&here, &anywhere) {
            (Some(repository), _) => repository.git.call(&args).line(),
            (None, Some((git, _))) => git.call(&args).dir(Path::new("/")).line(),
            (None, None) => return None,
        };
        line.ok().filter(|value| !value.is_empty())
    };
    (value("user.name"), value("user.email"))
}

/// Makes a folder a repository.
pub fn init(folder: &Path) -> Result<(), GitError> {
    let (git, _) = Git::unbound(GitEnv::inherited().outside(folder))?;
    git.call(&["init", "--quiet"]).dir(folder).ok().map(drop)
}

impl Repository {
    /// How the checkout stands.
    pub fn standing(&self) -> Result<Standing, GitError> {
        let args = ["status", "--porcelain=v2", "--branch", "--untracked-files=normal"];
        let out = self.git.call(&args).arg("--ignore-submodules=all").reads().ok()?;
        let text = String::from_utf8_lossy(&out);
        let header = |name: &str| {
            text.lines().find_map(|line| line.strip_prefix(name)).map(|it| it.trim().to_owned())
        };
        let is_foreign = |line: &&str| line.starts_with("? ") && !line.starts_with("? .ralph");
        Ok(Standing {
            branch: header("# branch.head ").filter(|name| name != "(detached)"),
            changed: text.lines().filter(|line| line.starts_with(['1', '2', 'u'])).count(),
            untracked: text.lines().filter(is_foreign).count(),
            has_commits: header("# branch.oid ").is_some_and(|oid| oid != "(initial)"),
        })
    }

    /// How many commits of HEAD a branch lacks that has others of its own; 0 where there is nothing to decide.
    pub fn left_behind(&self, branch: &str) -> Result<u64, GitError> {
        let Some(tip) = self.commit_at(&format!("refs/heads/{branch}"))? else { return Ok(0) };
        let Some(head) = self.commit_at("HEAD")? else { return Ok(0) };
        if is_ancestor(&self.git, tip.as_str(), head.as_str())? {
            return Ok(0);
        }
        let range = format!("{tip}..{head}");
        let line = self.git.call(&["rev-list", "--count", &range]).reads().line()?;
        Ok(line.trim().parse().unwrap_or(0))
    }

    /// Which of these commits a run on this branch would begin without; a branch that is not there begins at HEAD.
    pub fn commits_missing_on(
        &self,
        branch: &str,
        commits: &[&CommitId],
    ) -> Result<BTreeSet<CommitId>, GitError> {
        if commits.is_empty() {
            return Ok(BTreeSet::new());
        }
        let tip = self.commit_at(&format!("refs/heads/{branch}"))?;
        let Some(tip) = tip.map_or_else(|| self.commit_at("HEAD"), |tip| Ok(Some(tip)))? else {
            return Ok(BTreeSet::new());
        };
        let asked: Vec<&str> = commits.iter().map(|commit| commit.as_str()).collect();
        let reply = |args: &[&str], lines: &[&str]| {
            let out = self.git.call(args).reads().stdin(lines.join("\n").into_bytes()).ok()?;
            Ok::<_, GitError>(String::from_utf8_lossy(&out).into_owned())
        };
        let known = reply(&["cat-file", "--batch-check=%(objectname)"], &asked)?;
        let gone: BTreeSet<&str> =
            known.lines().filter_map(|line| line.strip_suffix(" missing")).collect();
        let without = format!("^{tip}");
        let mut walk = asked.clone();
        walk.retain(|commit| !gone.contains(commit));
        walk.push(&without);
        let beside = reply(&["rev-list", "--stdin"], &walk)?;
        let beside: BTreeSet<&str> = beside.lines().collect();
        let is_missing = |commit: &&&CommitId| {
            gone.contains(commit.as_str()) || beside.contains(commit.as_str())
        };
        Ok(commits.iter().filter(is_missing).map(|commit| (*commit).clone()).collect())
    }

    /// Where `origin` is, as the configuration says.
    pub fn origin(&self) -> Option<String> {
        self.git.configuration().ok()?.get("remote.origin.url").map(str::to_owned)
    }

    /// Whether there is anywhere to push to.
    pub fn has_remote(&self) -> bool {
        let call = self.git.call(&["config", "--get-regexp", r"^remote\..*\.url$"]).reads();
        call.run().is_ok_and(|reply| reply.code == 0)
    }
    /// Every file that differs from the last commit or is new, in order; ralph's own and ignored ones are left out.
    pub fn uncommitted(&self) -> Result<Vec<String>, GitError> {
        let status = Status::read(&self.git, None, &[])?;
        let mut files = status.dirty();
        files.extend(status.unknown);
        Ok(files.iter().map(|file| shown(file)).collect())
    }

    /// Whether git tracks a file, whatever the case of its letters. In doubt it does.
    pub fn tracks(&self, path: &Path) -> bool {
        let Some(inside) = path.strip_prefix(self.main_root()).ok().and_then(Path::to_str) else {
            return true;
        };
        let pathspec = format!(":(top,icase){}", inside.replace(['*', '?', '[', '\\'], "?"));
        let untracked = self
            .git
            .call(&["ls-files", "-z", "--", &pathspec])
            .reads()
            .run()
            .is_ok_and(|reply| reply.code == 0 && reply.stdout.is_empty());
        !untracked
    }

    /// A file as the index has it, if it is in there and in this worktree.
    pub fn in_index(&self, path: &Path) -> Result<Option<Vec<u8>>, GitError> {
        let Ok(inside) = path.strip_prefix(self.root()) else {
            return Ok(None);
        };
        let mut name = OsString::from(":0:");
        name.push(inside);
        let reply = self.git.call(&["cat-file", "blob"]).arg(name).reads().run()?;
        Ok((reply.code == 0).then_some(reply.stdout))
    }
}
