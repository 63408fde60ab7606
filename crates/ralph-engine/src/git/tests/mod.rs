//! The promises of git work, on real repositories with real git.

mod boxed;
mod capturing;
#[cfg(target_os = "linux")]
mod carrying;
mod checkpoints;
mod copies;
mod crashes;
mod encodings;
mod endings;
mod glances;
mod hostile;
#[cfg(target_os = "linux")]
mod laying_out;
mod opening;
mod parking;
mod planted;
mod secrets;
mod since;
mod taking;
mod unfit;

use std::{
    env,
    error::Error,
    ffi::OsString,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use ralph_core::{
    effect::{
        CaptureTree, Checkpoint, CloseWorkspace, Commit, DirtyPolicy, OpenWorkspace, Quarantine,
    },
    ids::{CommitId, RunId, TreeId},
    input::{Captured, Workspace},
};
use tempfile::TempDir;

use super::{GitEnv, GitError, Repository, Worktree};

type Outcome = Result<(), Box<dyn Error>>;

/// Every git on this machine's PATH.
fn gits() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).map(|dir| dir.join("git")).filter(|git| git.is_file());
    let mut gits: Vec<PathBuf> = found.map(|git| fs::canonicalize(&git).unwrap_or(git)).collect();
    gits.sort();
    gits.dedup();
    gits
}

/// A repository of a user in a home of its own, with `main` checked out and two files committed.
struct TestRepo {
    home: TempDir,
    root: PathBuf,
    program: PathBuf,
}

impl TestRepo {
    fn new() -> Result<Self, Box<dyn Error>> {
        Self::with(PathBuf::from("git"))
    }

    fn with(program: PathBuf) -> Result<Self, Box<dyn Error>> {
        let repo = Self::empty(program)?;
        repo.write("a.txt", "one\n")?;
        repo.write("src/lib.rs", "fn one() {}\n")?;
        repo.git(&["add", "-A"])?;
        repo.git(&["commit", "-qm", "first"])?;
        Ok(repo)
    }

    /// Without any commit.
    fn empty(program: PathBuf) -> Result<Self, Box<dyn Error>> {
        let home = tempfile::tempdir()?;
        let root = fs::canonicalize(home.path())?.join("project");
        fs::create_dir(&root)?;
        let repo = Self { home, root, program };
        repo.git(&["init", "-q", "-b", "main"])?;
        repo.git(&["config", "user.name", "A User"])?;
        repo.git(&["config", "user.email", "user@example.org"])?;
        Ok(repo)
    }

    fn vars(&self) -> Vec<(OsString, OsString)> {
        let path = env::var_os("PATH").unwrap_or_default();
        let home = self.home.path().as_os_str().to_owned();
        vec![
            ("PATH".into(), path),
            ("HOME".into(), home),
            ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
        ]
    }

    fn env(&self) -> GitEnv {
        GitEnv::new(&self.program, self.vars())
    }

    fn repository(&self) -> Result<Repository, GitError> {
        Repository::discover_with(&self.env(), &self.root)
    }

    /// Git as a user or an agent starts it, in the project.
    fn git(&self, args: &[&str]) -> Result<String, Box<dyn Error>> {
        self.git_in(&self.root, args)
    }

    fn git_in(&self, dir: &Path, args: &[&str]) -> Result<String, Box<dyn Error>> {
        let output = self.raw(dir, args)?;
        if !output.status.success() {
            return Err(format!("git {args:?}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        Ok(String::from_utf8(output.stdout)?.trim_end_matches('\n').to_owned())
    }

    fn raw(&self, dir: &Path, args: &[&str]) -> std::io::Result<Output> {
        let mut command = Command::new(&self.program);
        command.env_clear().envs(self.vars()).args(args).current_dir(dir).output()
    }

    fn write(&self, path: &str, content: &str) -> std::io::Result<()> {
        put(&self.root, path, content)
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.root.join(path)).ok()
    }

    fn truth(&self) -> PathBuf {
        self.root.join(".git/ralph/runs/r1")
    }

    fn state(&self) -> PathBuf {
        self.home.path().join("state")
    }

    fn open_with(&self, request: &OpenWorkspace) -> Result<(Workspace, Worktree), GitError> {
        self.repository()?.open(request, &run(), &self.truth(), &self.state())
    }

    /// An in-place run on `ralph/work`.
    fn open(&self) -> Result<Session, GitError> {
        let (workspace, worktree) = self.open_with(&request())?;
        Ok(Session::new(workspace, worktree))
    }
}

fn put(root: &Path, path: &str, content: &str) -> std::io::Result<()> {
    let file = root.join(path);
    fs::create_dir_all(file.parent().unwrap_or(root))?;
    fs::write(file, content)
}

fn run() -> RunId {
    "r1".into()
}

fn request() -> OpenWorkspace {
    OpenWorkspace {
        branch: "ralph/work".into(),
        dirty: DirtyPolicy::Refuse,
        linked_worktree: false,
        only_looks: false,
        resume_at: None,
    }
}

/// A run as the driver sees it: where it stands, and the steps of an iteration.
struct Session {
    workspace: Workspace,
    worktree: Worktree,
    head: CommitId,
    start: TreeId,
    iteration: u32,
    notes: Vec<String>,
}

impl Session {
    fn new(workspace: Workspace, worktree: Worktree) -> Self {
        let (head, start) = (workspace.head.clone(), workspace.tree.clone());
        Self { workspace, worktree, head, start, iteration: 1, notes: Vec::new() }
    }

    fn checkpoint(&mut self) -> Result<Option<String>, GitError> {
        self.checkpoint_at(None)
    }

    fn checkpoint_at(&mut self, start: Option<TreeId>) -> Result<Option<String>, GitError> {
        let taken = self.worktree.checkpoint(&Checkpoint {
            iteration: self.iteration,
            head: self.head.clone(),
            start,
            keep_as: format!("found/{}", self.iteration),
        })?;
        self.start = taken.tree;
        self.notes = taken.notes;
        Ok(taken.kept)
    }

    fn capture(&mut self) -> Result<Captured, GitError> {
        let (head, start) = (self.head.clone(), self.start.clone());
        let protect = vec!["docs/**".into()];
        self.worktree.capture(&CaptureTree { iteration: self.iteration, head, start, protect })
    }

    fn commit_request(&self, captured: &Captured) -> Commit {
        Commit {
            iteration: self.iteration,
            task: "T-1".into(),
            tree: captured.tree.clone().unwrap_or_default(),
            parent: captured.head.clone(),
            message: "feat: work".into(),
        }
    }

    /// Captures, checks after the gates, commits.
    fn accept(&mut self) -> Result<Captured, GitError> {
        let captured = self.capture()?;
        let tree = captured.tree.clone().unwrap_or_default();
        self.worktree.undo_meddling(&tree)?;
        self.head = self.worktree.commit(&self.commit_request(&captured))?;
        self.iteration += 1;
        Ok(captured)
    }

    fn close(&mut self) -> Result<Vec<String>, GitError> {
        self.worktree.close(&CloseWorkspace {
            head: self.head.clone(),
            stash: self.workspace.stash.clone(),
            keep_as: "unfinished".into(),
        })
    }
}

fn make_executable(file: &Path) -> std::io::Result<()> {
    fs::set_permissions(file, fs::Permissions::from_mode(0o755))
}
