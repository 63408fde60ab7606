//! A repository as found on disk: its folders, whether work can begin there. Must never change anything.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use ralph_core::ids::{CommitId, RunId, TreeId};

use super::{
    binding::{Git, Manner},
    environment::GitEnv,
    error::GitError,
    files::{about_and_path, on_disk, shown, split_nul, word},
    refs::tame,
    screen::Screen,
    survey,
};

/// Oldest git whose options ralph relies on.
const OLDEST: (u32, u32) = (2, 39);

/// A repository with files in it.
#[derive(Debug, Clone)]
pub struct Repository {
    pub(crate) git: Git,
    root: PathBuf,
    git_dir: PathBuf,
    common_dir: PathBuf,
    main_root: PathBuf,
    /// What must not get into objects.
    secrets: Screen,
}

/// What git leaves while something waits for the user, and what that is.
pub(crate) const IN_PROGRESS: [(&str, &str); 5] = [
    ("MERGE_HEAD", "merge"),
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
];

impl Repository {
    /// Finds the repository that holds `dir`.
    pub fn discover(dir: &Path) -> Result<Self, GitError> {
        Self::discover_with(&GitEnv::inherited(), dir)
    }

    /// Finds the repository that holds `dir`, with a given git.
    pub fn discover_with(env: &GitEnv, dir: &Path) -> Result<Self, GitError> {
        // Git has not yet said where the worktree begins, and must not be one of its programs.
        let here = std::fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
        let root = here.ancestors().find(|above| above.join(".git").exists());
        let (git, version) = Git::unbound(env.outside(root.unwrap_or(&here)))?;
        check_version(&version)?;
        Self::locate(&git, dir)
    }

    /// Finds the repository that holds `dir`; git is known to be there.
    ///
    /// Only a `.git` makes a repository: what looks like a bare one may be files that an agent wrote.
    pub(crate) fn locate(git: &Git, dir: &Path) -> Result<Self, GitError> {
        let git = &git.released();
        let nowhere = || GitError::NoRepository { dir: dir.to_owned() };
        let here = std::fs::canonicalize(dir).map_err(|_| nowhere())?;
        let with_git =
            here.ancestors().filter(|above| above.join(".git").symlink_metadata().is_ok());
        for root in with_git {
            if let Some(found) = Self::at(git, root)? {
                if here.starts_with(found.root.join(".git")) {
                    return Err(GitError::InsideGitDir { dir: dir.to_owned() });
                }
                return Ok(found);
            }
        }
        match here.ancestors().find(|above| survey::is_bare(above)) {
            Some(bare) if bare.ends_with(".git") => {
                Err(GitError::InsideGitDir { dir: dir.to_owned() })
            }
            Some(_) => Err(GitError::Bare { dir: dir.to_owned() }),
            None => Err(nowhere()),
        }
    }

    /// The repository of which `root` has the `.git`, if git agrees that it is one.
    fn at(git: &Git, root: &Path) -> Result<Option<Self>, GitError> {
        let ask = |what: &[&str]| {
            let args = [&["rev-parse", "--path-format=absolute"], what].concat();
            git.call(&args).dir(root).ceiling(root).run()
        };
        // All at once, unless a name has lines in it or there is nothing to show.
        let folders = ["--show-toplevel", "--git-dir", "--git-common-dir"];
        let reply = ask(&[&["--is-bare-repository"], folders.as_slice()].concat())?;
        let said = String::from_utf8_lossy(&reply.stdout).into_owned();
        let at_once: Vec<&str> = said.lines().collect();
        let at_once = Some(at_once).filter(|lines| reply.code == 0 && lines.len() == 4);
        let reply =
            if at_once.is_some() { reply } else { ask(&["--is-bare-repository", "--git-dir"])? };
        if reply.code != 0 {
            let is_none = reply.stderr.contains("not a git repository");
            if reply.stderr.contains("dubious ownership") {
                return Err(GitError::ForeignOwner { dir: root.to_owned() });
            }
            return if is_none { Ok(None) } else { Err(reply.error("rev-parse")) };
        }
        if reply.stdout.starts_with(b"true") {
            return Err(GitError::Bare { dir: root.to_owned() });
        }
        let folder = |number: usize| -> Result<PathBuf, GitError> {
            let line = if let Some(lines) = &at_once {
                lines[number + 1].to_owned()
            } else {
                let reply = ask(&[folders[number]])?;
                if reply.code != 0 {
                    return Err(reply.error("rev-parse"));
                }
                String::from_utf8_lossy(&reply.stdout).trim_end_matches('\n').to_owned()
            };
            Ok(std::fs::canonicalize(&line).unwrap_or_else(|_| PathBuf::from(line)))
        };
        let files = folder(0)?;
        if files != root {
            return Err(GitError::FilesElsewhere { dir: root.to_owned(), files });
        }
        let (git_dir, common_dir) = (folder(1)?, folder(2)?);
        let (git, root) = (git.bound(&git_dir, root), root.to_owned());
        let main_root =
            if git_dir == common_dir { root.clone() } else { main_root(&git, &common_dir)? };
        Ok(Some(Self { git, root, git_dir, common_dir, main_root, secrets: Screen::default() }))
    }

    /// The same repository with a git that is started as the user's settings say.
    #[must_use]
    pub fn with_filters(mut self, filters: &[String]) -> Self {
        let manner = self.git.manner().clone();
        self.git = self.git.in_manner(Manner { filters: filters.into(), ..manner });
        self
    }

    /// The same repository with commits of run branches that are signed.
    #[must_use]
    pub fn with_signing(mut self, signs: bool) -> Self {
        let manner = self.git.manner().clone();
        self.git = self.git.in_manner(Manner { signs, ..manner });
        self
    }

    /// The same repository with a git that has no box of its own: the weaker way, where the run's own is none.
    #[must_use]
    pub fn without_box(mut self) -> Self {
        let manner = self.git.manner().clone();
        self.git = self.git.in_manner(Manner { is_enclosed: false, ..manner });
        self
    }

    /// Whether git has a box of its own wherever it looks at files.
    pub fn is_enclosed(&self) -> bool {
        self.git.manner().is_enclosed
    }

    /// Keeps what this screen knows out of all objects that it writes for an agent.
    #[must_use]
    pub fn with_secrets(self, secrets: Screen) -> Self {
        Self { secrets, ..self }
    }

    /// The same repository from another of its worktrees keeps the same secrets.
    pub(crate) fn with_secrets_of(self, other: &Self) -> Self {
        Self { secrets: other.secrets.clone(), ..self }
    }

    pub(crate) fn secrets(&self) -> &Screen {
        &self.secrets
    }

    /// The worktree that holds the folder it was found from.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// This worktree's own git folder.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The git folder that all worktrees share.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// The repository's main worktree, whose `.ralph/` all runs use.
    pub fn main_root(&self) -> &Path {
        &self.main_root
    }

    /// What must be so before a run can begin here: a commit, a branch, a name for the commits.
    pub fn check(&self) -> Result<(), GitError> {
        self.head()?;
        self.branch()?;
        self.check_identity()
    }

    /// The commit that is checked out.
    pub fn head(&self) -> Result<CommitId, GitError> {
        self.commit_at("HEAD")?.ok_or(GitError::NoCommit)
    }

    /// The branch that is checked out.
    pub fn branch(&self) -> Result<String, GitError> {
        let name = self.git.call(&["symbolic-ref", "--quiet", "HEAD"]).reads().line_if_any()?;
        let branch = name.as_deref().and_then(|name| name.strip_prefix("refs/heads/"));
        branch.map(str::to_owned).ok_or(GitError::DetachedHead)
    }

    /// The commit a revision names, if it names one.
    pub fn commit_at(&self, revision: &str) -> Result<Option<CommitId>, GitError> {
        Ok(self.object(&format!("{revision}^{{commit}}"))?.map(CommitId))
    }

    /// Everything that a run keeps, by the full names of the refs.
    pub fn refs_of(&self, run: &RunId) -> Result<Vec<String>, GitError> {
        let below = format!("refs/ralph/{}/", tame(run.as_str()));
        let call = self.git.call(&["for-each-ref", "--format=%(refname)", &below]).reads();
        Ok(call.line()?.lines().map(str::to_owned).collect())
    }

    /// The tree of a revision.
    pub fn tree_at(&self, revision: &str) -> Result<TreeId, GitError> {
        self.object(&format!("{revision}^{{tree}}"))?
            .map(TreeId)
            .ok_or_else(|| GitError::MissingObject { id: revision.to_owned() })
    }

    /// The files at the top of a tree, by name, with the ids of what is in them.
    pub(crate) fn top_files(&self, tree: &TreeId) -> Result<BTreeMap<String, String>, GitError> {
        let out = self.git.call(&["ls-tree", "-z", tree.as_str()]).reads().ok()?;
        let read = |line: &[u8]| {
            let (about, name) = about_and_path(line)?;
            about.starts_with(b"100").then(|| Some((shown(name), shown(word(about, 2)?))))?
        };
        Ok(split_nul(&out).filter_map(read).collect())
    }

    /// Who commits are by, as settings of git: for builds that make repositories of their own.
    pub fn identity_settings(&self) -> String {
        let setting =
            |name: &str| self.git.call(&["config", "--get", name]).line().unwrap_or_default();
        let clean = |text: String| text.replace(['"', '\\', '\n'], "");
        let (name, email) = (clean(setting("user.name")), clean(setting("user.email")));
        if name.is_empty() || email.is_empty() {
            return String::new();
        }
        format!("[user]\n\tname = \"{name}\"\n\temail = \"{email}\"\n")
    }

    /// The same repository, whose commits from now on are by whom they would be by now: agents that are kept in by
    /// nothing can write git's configuration.
    pub(crate) fn with_identity(mut self) -> Self {
        self.git = self.git.with_identity();
        self
    }

    pub(crate) fn check_identity(&self) -> Result<(), GitError> {
        let reply = self.git.call(&["var", "GIT_COMMITTER_IDENT"]).run()?;
        if reply.code == 0 {
            return Ok(());
        }
        let said = reply.stderr.lines().rev().find(|line| line.contains("fatal:"));
        let said = said.unwrap_or("user.name or user.email is not set");
        Err(GitError::NoIdentity { said: said.trim_start_matches("fatal: ").to_owned() })
    }

    /// Refuses while a merge or the like waits for the user.
    pub(crate) fn check_nothing_in_progress(&self) -> Result<(), GitError> {
        match IN_PROGRESS.iter().find(|(file, _)| self.git_dir.join(file).exists()) {
            Some((_, what)) => Err(GitError::InProgress { what }),
            None => Ok(()),
        }
    }

    fn object(&self, name: &str) -> Result<Option<String>, GitError> {
        self.git.call(&["rev-parse", "--verify", "--quiet", name]).reads().line_if_any()
    }
}

fn check_version(line: &str) -> Result<(), GitError> {
    let found = line.trim_start_matches("git version ").to_owned();
    let mut numbers = found.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if version < OLDEST { Err(GitError::TooOld { found }) } else { Ok(()) }
}

/// The main worktree comes first in git's list.
fn main_root(git: &Git, common_dir: &Path) -> Result<PathBuf, GitError> {
    let list = git.call(&["worktree", "list", "--porcelain", "-z"]).reads().ok()?;
    let first = list.split(|byte| *byte == 0).next().unwrap_or_default();
    let path = first.strip_prefix(b"worktree ").map(|path| on_disk(Path::new("/"), path));
    let path = path.unwrap_or_else(|| common_dir.parent().unwrap_or(common_dir).to_owned());
    Ok(std::fs::canonicalize(&path).unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert!(check_version("git version 2.39.5").is_ok());
        assert!(check_version("git version 2.47.3 (Apple Git-1)").is_ok());
        assert!(check_version("git version 3.0").is_ok());
        assert!(matches!(check_version("git version 2.9.5"), Err(GitError::TooOld { .. })));
    }
}
