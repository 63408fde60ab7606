//! The only place that starts git: fixed flags, a cleared environment, explicit folders, bounded output.
//!
//! Must never be bypassed: a git started otherwise could be made to run what an agent planted.

use std::{
    ffi::{OsStr, OsString},
    io::{self, Read, Write},
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use nix::{
    sys::signal::{Signal, killpg},
    unistd::Pid,
};

use super::{environment::GitEnv, error::GitError};

/// Most bytes read from one git command.
const MOST_OUTPUT: usize = 512 << 20;
/// Most bytes of error output kept.
const MOST_STDERR: usize = 64 << 10;

/// Longest time for one git command. What an agent leaves can keep git busy for ever: ignore rules that are tried in
/// every combination, files without end, pipes that nobody writes to.
const PATIENCE: Duration = Duration::from_mins(20);

/// Set on every call; the command line wins over whatever a configuration file says.
const FIXED: &[&str] = &[
    "core.fsync=all",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "core.splitIndex=false",
    "core.trustctime=true",
    "core.checkStat=default",
    "submodule.recurse=false",
    "protocol.file.allow=user",
    "gc.auto=0",
    "maintenance.auto=false",
    "commit.gpgsign=false",
    "log.showSignature=false",
    "i18n.commitEncoding=UTF-8",
    "user.useConfigOnly=true",
    "advice.detachedHead=false",
];

/// Variables that every call has, and hardly any git of a person's own: by these a git that outlived its ralph is known.
pub(super) const OWN: [(&str, &str); 2] = [("GIT_TERMINAL_PROMPT", "0"), ("GIT_EDITOR", ":")];

/// Git, bound to one repository and worktree. Clones share the count of started processes.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    env: Arc<GitEnv>,
    place: Option<Place>,
    started: Arc<AtomicU64>,
}

#[derive(Debug, Clone)]
struct Place {
    git_dir: PathBuf,
    work_tree: PathBuf,
}

impl Git {
    /// Git that still has to find its repository.
    pub(crate) fn unbound(env: GitEnv) -> Self {
        Self { env: Arc::new(env), place: None, started: Arc::default() }
    }

    /// The same git for exactly this repository and worktree.
    pub(crate) fn bound(&self, git_dir: &Path, work_tree: &Path) -> Self {
        let place = Place { git_dir: git_dir.to_owned(), work_tree: work_tree.to_owned() };
        let env = Arc::new(self.env.outside(work_tree));
        Self { place: Some(place), env, ..self.clone() }
    }

    /// The same git, to find another repository with.
    pub(crate) fn released(&self) -> Self {
        Self { place: None, ..self.clone() }
    }

    /// How many git processes were started so far.
    pub(crate) fn started(&self) -> u64 {
        self.started.load(Ordering::Relaxed)
    }

    /// A call of the subcommand `args[0]`.
    pub(crate) fn call<S: AsRef<OsStr>>(&self, args: &[S]) -> Call<'_> {
        Call {
            git: self,
            args: args.iter().map(|arg| arg.as_ref().to_owned()).collect(),
            dir: None,
            ceiling: None,
            index: None,
            config: Vec::new(),
            stdin: None,
            most: MOST_OUTPUT,
            cut: false,
            may_write: true,
            patience: PATIENCE,
        }
    }
}

/// One call of git, being prepared.
#[must_use]
pub(crate) struct Call<'a> {
    git: &'a Git,
    args: Vec<OsString>,
    dir: Option<PathBuf>,
    ceiling: Option<PathBuf>,
    index: Option<PathBuf>,
    config: Vec<String>,
    stdin: Option<Vec<u8>>,
    most: usize,
    cut: bool,
    may_write: bool,
    patience: Duration,
}

/// What a call gave.
pub(crate) struct Reply {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    /// There was more output than asked for.
    pub(crate) is_cut: bool,
    /// It was ended because it took too long.
    is_late: bool,
}

impl Call<'_> {
    /// Adds an argument.
    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Works on this index file instead of the worktree's own.
    pub(crate) fn index(mut self, file: &Path) -> Self {
        self.index = Some(file.to_owned());
        self
    }

    /// Sets one more configuration value.
    pub(crate) fn config(mut self, setting: impl Into<String>) -> Self {
        self.config.push(setting.into());
        self
    }

    /// Runs in this folder.
    pub(crate) fn dir(mut self, dir: &Path) -> Self {
        self.dir = Some(dir.to_owned());
        self
    }

    /// Looks for a repository in this folder and nowhere above.
    pub(crate) fn ceiling(mut self, dir: &Path) -> Self {
        self.ceiling = dir.parent().map(Path::to_owned);
        self
    }

    /// Feeds these bytes.
    pub(crate) fn stdin(mut self, bytes: Vec<u8>) -> Self {
        self.stdin = Some(bytes);
        self
    }

    /// Takes no lock only to refresh what it reads.
    pub(crate) fn reads(mut self) -> Self {
        self.may_write = false;
        self
    }

    /// Ends git after this much output, which is then cut rather than an error.
    pub(crate) fn cut_at(mut self, bytes: usize) -> Self {
        self.most = bytes;
        self.cut = true;
        self
    }

    /// Ends git after this time.
    #[cfg(test)]
    pub(crate) fn within(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Runs it; an exit code is part of the answer.
    pub(crate) fn run(self) -> Result<Reply, GitError> {
        let name = self.name();
        let mut child = self.start().map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => GitError::NotInstalled,
            _ => GitError::Io { what: format!("cannot start git {name}"), source },
        })?;
        let reply = converse(&mut child, self.stdin, self.most, self.patience)
            .map_err(GitError::io(format!("cannot talk to git {name}")))?;
        if reply.is_late {
            return Err(GitError::Slow { command: name });
        }
        if reply.is_cut && !self.cut {
            return Err(GitError::Command { command: name, said: "too much output".into() });
        }
        Ok(reply)
    }

    /// Runs it; anything but success is an error.
    pub(crate) fn ok(self) -> Result<Vec<u8>, GitError> {
        let name = self.name();
        let reply = self.run()?;
        if reply.code == 0 || reply.is_cut {
            return Ok(reply.stdout);
        }
        Err(reply.error(name))
    }

    /// Runs it and takes its output as one line.
    pub(crate) fn line(self) -> Result<String, GitError> {
        let out = self.ok()?;
        Ok(String::from_utf8_lossy(&out).trim_end_matches('\n').to_owned())
    }

    fn name(&self) -> String {
        self.args.first().map(|arg| arg.to_string_lossy().into_owned()).unwrap_or_default()
    }

    fn start(&self) -> io::Result<Child> {
        self.git.started.fetch_add(1, Ordering::Relaxed);
        let mut command = Command::new(&self.git.env.program);
        command.env_clear().envs(self.git.env.vars.iter().map(|(name, value)| (name, value)));
        command.env("LC_ALL", "C").envs(OWN);
        command.env("GIT_OPTIONAL_LOCKS", if self.may_write { "1" } else { "0" });
        let more = self.config.iter().map(String::as_str);
        for setting in FIXED.iter().copied().chain(more) {
            command.arg("-c").arg(setting);
        }
        if let Some(place) = &self.git.place {
            command.arg("-c").arg("safe.bareRepository=explicit");
            command.env("GIT_DIR", &place.git_dir).env("GIT_WORK_TREE", &place.work_tree);
            command.current_dir(&place.work_tree);
        }
        if let Some(dir) = &self.dir {
            command.current_dir(dir);
            if self.git.place.is_some() {
                command.env("GIT_WORK_TREE", dir);
            }
        }
        if let Some(index) = &self.index {
            command.env("GIT_INDEX_FILE", index);
        }
        if let Some(ceiling) = &self.ceiling {
            command.env("GIT_CEILING_DIRECTORIES", ceiling);
        }
        let stdin = if self.stdin.is_some() { Stdio::piped() } else { Stdio::null() };
        command.args(&self.args).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Its own group: a Ctrl-C at the terminal must not end git in the middle of a write.
        command.process_group(0).spawn()
    }
}

impl Reply {
    /// The reply as an error of the command `name`.
    pub(crate) fn error(&self, name: impl Into<String>) -> GitError {
        let said = self.stderr.trim();
        let said =
            if said.is_empty() { format!("exit code {}", self.code) } else { said.to_owned() };
        GitError::Command { command: name.into(), said }
    }
}

fn converse(
    child: &mut Child,
    input: Option<Vec<u8>>,
    most: usize,
    patience: Duration,
) -> io::Result<Reply> {
    let group = i32::try_from(child.id()).map(Pid::from_raw).map_err(io::Error::other)?;
    let stdin = child.stdin.take();
    let stdout = child.stdout.take();
    let stderr = child.stderr.take();
    thread::scope(|scope| {
        let (over, is_over) = mpsc::channel::<()>();
        let watch = scope.spawn(move || {
            let is_late = is_over.recv_timeout(patience) == Err(RecvTimeoutError::Timeout);
            // With what it started: a filter of the user's can hang as well.
            is_late && killpg(group, Signal::SIGKILL).is_ok()
        });
        scope.spawn(move || {
            if let (Some(mut pipe), Some(bytes)) = (stdin, input) {
                // A git that stops reading says why on its own.
                let _ = pipe.write_all(&bytes);
            }
        });
        let complaints = scope.spawn(move || {
            let mut text = Vec::new();
            if let Some(mut pipe) = stderr {
                let _ = pipe.by_ref().take(MOST_STDERR as u64).read_to_end(&mut text);
                let _ = io::copy(&mut pipe, &mut io::sink());
            }
            String::from_utf8_lossy(&text).into_owned()
        });
        let mut bytes = Vec::new();
        if let Some(pipe) = stdout {
            pipe.take(most as u64 + 1).read_to_end(&mut bytes)?;
        }
        let is_cut = bytes.len() > most;
        if is_cut {
            bytes.truncate(most);
            child.kill()?;
        }
        let code = child.wait()?.code().unwrap_or(-1);
        drop(over);
        let stderr = complaints.join().unwrap_or_default();
        let is_late = watch.join().unwrap_or_default();
        Ok(Reply { code, stdout: bytes, stderr, is_cut, is_late })
    })
}

#[cfg(test)]
mod tests {
    use std::{error::Error, fs};

    use nix::{sys::stat::Mode, unistd::mkfifo};

    use super::*;

    #[test]
    fn a_git_that_hangs_is_ended() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let git = Git::unbound(GitEnv::inherited());
        git.call(&["init", "-q"]).dir(folder.path()).ok()?;
        let status = || git.call(&["status", "-z"]).dir(folder.path());
        mkfifo(&folder.path().join(".gitignore"), Mode::S_IRWXU)?;
        let hung = status().within(Duration::from_millis(300)).run().map(|reply| reply.code);
        assert!(matches!(hung, Err(GitError::Slow { .. })), "{hung:?}");
        fs::remove_file(folder.path().join(".gitignore"))?;
        assert_eq!(status().run().map(|reply| reply.code)?, 0);
        Ok(())
    }
}
