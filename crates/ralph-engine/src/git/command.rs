//! The only place that starts git: fixed flags, a cleared environment, explicit folders, bounded output.
//!
//! Must never be bypassed: a git started otherwise could be made to run what an agent planted.

use std::{
    ffi::{OsStr, OsString},
    fs, io,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Arc, PoisonError, atomic::Ordering},
    time::Duration,
};

use super::{
    binding::{Git, Manner, Place},
    configuration::Configuration,
    converse::{Reply, Running},
    enclosed::{self, Inside, Line},
    environment::{GitEnv, as_variables},
    error::GitError,
    files::{RelPath, paths, remove_if_there},
    incoming::Incoming,
    room::Room,
    touch::{Touch, touch},
};
use crate::outside::Outside;

/// Most bytes read from one git command.
const MOST_OUTPUT: usize = 512 << 20;

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
    "safe.bareRepository=explicit",
];

/// Variables that every call has, and hardly any git of a person's own: by these a git that outlived its ralph is known.
pub(super) const OWN: [(&str, &str); 2] = [("GIT_TERMINAL_PROMPT", "0"), ("GIT_EDITOR", ":")];

/// An object that is missing is not fetched: whose configuration this is, and which program or host it would name, is
/// not known where somebody merely stands in a folder.
const STAYS_HERE: [(&str, &str); 2] = [("GIT_NO_LAZY_FETCH", "1"), ("GIT_ALLOW_PROTOCOL", "none")];

impl Git {
    /// Git that still has to find its repository, and its version. In a box from now on if one can be made.
    pub(crate) fn unbound(env: GitEnv) -> Result<(Self, String), GitError> {
        let mut git = Self {
            env: Arc::new(env),
            place: None,
            manner: Manner::default(),
            started: Arc::default(),
            enclosed: Arc::default(),
            known: Arc::default(),
        };
        let version = enclosed::version(&git.env);
        git.manner.is_enclosed = version.is_some();
        let version = version.map_or_else(|| git.call(&["version"]).line(), Ok)?;
        Ok((git, version))
    }

    /// The same git for a repository that ralph has just made: of the configuration only the user's own counts there.
    pub(crate) fn bound_anew(
        &self,
        git_dir: &Path,
        work_tree: &Path,
        format: &str,
    ) -> Result<Self, GitError> {
        let copy = Arc::new(self.configuration()?.of_a_copy(format));
        let git = self.bound(git_dir, work_tree);
        if let Some(place) = &git.place {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.insert(place.git_dir.clone(), copy);
        }
        Ok(git)
    }

    /// The same git with the names that its configuration gives at this moment; as it is where it gives none.
    pub(crate) fn with_identity(&self) -> Self {
        let mut env = GitEnv::clone(&self.env);
        for who in ["AUTHOR", "COMMITTER"] {
            let ident = self.call(&["var", &format!("GIT_{who}_IDENT")]).reads().line();
            let ident = ident.unwrap_or_default();
            let Some((name, email)) = name_and_address(&ident) else { continue };
            env.set(&format!("GIT_{who}_NAME"), name);
            env.set(&format!("GIT_{who}_EMAIL"), email);
        }
        Self { env: Arc::new(env), ..self.clone() }
    }

    /// What git's own configuration says here. Read once: what changes later counts from the next start on.
    pub(super) fn configuration(&self) -> Result<Arc<Configuration>, GitError> {
        self.configuration_if(|_| true)
    }

    /// The same at this moment: git itself would read it, and agents may have written it.
    fn configuration_now(&self) -> Result<Arc<Configuration>, GitError> {
        self.configuration_if(Configuration::is_current)
    }

    fn configuration_if(
        &self,
        is_good: impl Fn(&Configuration) -> bool,
    ) -> Result<Arc<Configuration>, GitError> {
        let Some(place) = &self.place else { return Ok(Arc::default()) };
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(&place.git_dir).filter(|found| is_good(found)) {
            return Ok(Arc::clone(found));
        }
        let args = ["config", "--list", "-z", "--show-scope", "--show-origin", "--includes"];
        let listing = self.call(&args).reads().ok()?;
        let folders = place.folders(&place.work_tree);
        let found = Arc::new(Configuration::read(&listing, &self.env, folders)?);
        known().insert(place.git_dir.clone(), Arc::clone(&found));
        Ok(found)
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

/// Of a line as `git var GIT_AUTHOR_IDENT` prints it.
pub(crate) fn name_and_address(ident: &str) -> Option<(&str, &str)> {
    let (name, rest) = ident.rsplit_once(" <")?;
    Some((name, rest.rsplit_once('>')?.0))
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
    pub(crate) fn run(mut self) -> Result<Reply, GitError> {
        let name = self.name();
        self.real_places()?;
        let incoming = self.incoming()?;
        let running = self.start(incoming.as_ref())?;
        let reply = running
            .converse(self.stdin, self.most, self.patience)
            .map_err(GitError::io(format!("cannot talk to git {name}")))?;
        if let Some(index) = self.index.filter(|_| reply.code != 0) {
            // A git that was killed over a file that shrinks leaves its lock, and nobody else uses this index.
            remove_if_there(&index.with_extension("lock"))?;
        }
        if reply.is_late {
            return Err(GitError::Slow { command: name });
        }
        if reply.code != 0 && reply.stderr.starts_with("bwrap: ") {
            return Err(reply.error(name));
        }
        if reply.is_cut && !self.cut {
            return Err(GitError::Command { command: name, said: "too much output".into() });
        }
        if let Some(incoming) = incoming.filter(|_| reply.code == 0) {
            let plain = Manner { filters: [].into(), ..self.git.manner().clone() };
            let git = self.git.in_manner(plain);
            incoming.take_over(|pack| git.call(&["index-pack"]).arg(pack).ok().map(drop))?;
        }
        Ok(reply)
    }

    /// A place for new objects, where a filter may run beside git.
    fn incoming(&self) -> Result<Option<Incoming>, GitError> {
        let Git { place, manner, .. } = self.git;
        let is_boxed = manner.is_enclosed && touch(&self.args) != Touch::Nothing;
        let Some(place) = place.as_ref().filter(|_| is_boxed && !manner.filters.is_empty()) else {
            return Ok(None);
        };
        let what = format!("cannot make a place for new objects for git {}", self.name());
        Incoming::new(&place.common_dir.join("objects")).map(Some).map_err(GitError::io(what))
    }

    /// A box shows real places only, and whoever asks may know them by another name.
    fn real_places(&mut self) -> Result<(), GitError> {
        let real = |path: &Path| {
            fs::canonicalize(path).map_err(GitError::io(format!("cannot find {}", path.display())))
        };
        if let Some(dir) = &mut self.dir {
            *dir = real(dir)?;
        }
        if let Some(index) = &mut self.index
            && let (Some(folder), Some(name)) = (index.parent(), index.file_name())
        {
            *index = real(folder)?.join(name);
        }
        Ok(())
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

    /// Runs it and takes its output as one line; `None` where it fails or says nothing.
    pub(crate) fn line_if_any(self) -> Result<Option<String>, GitError> {
        let reply = self.run()?;
        let line = String::from_utf8_lossy(&reply.stdout).trim().to_owned();
        Ok((reply.code == 0 && !line.is_empty()).then_some(line))
    }

    /// Runs it and takes its output, NUL-separated, as paths.
    pub(crate) fn paths<C: FromIterator<RelPath>>(self) -> Result<C, GitError> {
        Ok(paths(&self.ok()?))
    }

    /// Runs what exits with 1 where it finds nothing.
    pub(crate) fn found(self) -> Result<Reply, GitError> {
        let name = self.name();
        let reply = self.run()?;
        if matches!(reply.code, 0 | 1) { Ok(reply) } else { Err(reply.error(name)) }
    }

    fn name(&self) -> String {
        self.args.first().map(|arg| arg.to_string_lossy().into_owned()).unwrap_or_default()
    }

    fn start(&self, incoming: Option<&Incoming>) -> Result<Running, GitError> {
        self.git.started.fetch_add(1, Ordering::Relaxed);
        let touch = touch(&self.args);
        let (line, mut command) = match (&self.git.place, touch) {
            (_, Touch::Nothing) => (None, self.in_the_open()),
            (None, _) => return Err(GitError::NoRepository { dir: PathBuf::from(".") }),
            (Some(place), _) if self.git.manner.is_enclosed => {
                let (line, command) = self.in_a_box(place, touch, incoming)?;
                (Some(line), command)
            }
            (Some(_), _) => {
                let configuration = self.git.configuration_now()?;
                (None, self.without_filters(&configuration))
            }
        };
        command.env("LC_ALL", "C").envs(OWN).envs(STAYS_HERE);
        command.env("GIT_OPTIONAL_LOCKS", if self.may_write { "1" } else { "0" });
        let more = self.config.iter().map(String::as_str);
        for setting in FIXED.iter().copied().chain(more) {
            command.arg("-c").arg(setting);
        }
        if let Some(place) = &self.git.place {
            // A configuration that came from another machine must not hide files that differ by their case alone.
            let is_alike = place.common_dir.join("head").exists();
            command.arg("-c").arg(format!("core.ignoreCase={is_alike}"));
            let work_tree = self.dir.as_deref().unwrap_or(&place.work_tree);
            command.env("GIT_DIR", &place.git_dir).env("GIT_WORK_TREE", work_tree);
        }
        if let Some(index) = &self.index {
            command.env("GIT_INDEX_FILE", index);
        }
        if let Some(ceiling) = &self.ceiling {
            command.env("GIT_CEILING_DIRECTORIES", ceiling);
        }
        command.args(&self.args);
        self.spawn(line, command).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => GitError::NotInstalled,
            _ => GitError::Io { what: format!("cannot start git {}", self.name()), source },
        })
    }

    /// In a room where the box can be one, in a box of its own otherwise, or as it is.
    fn spawn(&self, line: Option<Line>, mut command: Command) -> io::Result<Running> {
        // What a filter is given to write to is of one call alone.
        let is_plain = self.git.manner.filters.is_empty();
        if let Some(mut room) = line.as_ref().filter(|_| is_plain).and_then(Room::enter)
            && let Ok(pipes) = room.start(&command)
        {
            return Ok(Running::Guest(room, pipes));
        }
        if let Some(line) = line {
            command = line.around(&command)?;
        }
        let stdin = if self.stdin.is_some() { Stdio::piped() } else { Stdio::null() };
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().map(Running::Child)
    }

    /// Git as it is, with the caller's variables.
    fn in_the_open(&self) -> Command {
        let mut command = Command::new(&self.git.env.program);
        command.env_clear().envs(self.git.env.vars.iter().map(|(name, value)| (name, value)));
        let place = self.git.place.as_ref().map(|place| &place.work_tree);
        if let Some(dir) = self.dir.as_ref().or(place) {
            command.current_dir(dir);
        }
        // Its own group: a Ctrl-C at the terminal must not end git in the middle of a write.
        command.process_group(0);
        command
    }

    /// Where there is no box: filters that nobody named are at least switched off, and nothing is fetched for one.
    fn without_filters(&self, configuration: &Configuration) -> Command {
        let mut command = self.in_the_open();
        command.env("GIT_LFS_SKIP_SMUDGE", "1");
        command.envs(as_variables(0, &configuration.switched_off(&self.git.manner.filters)));
        command
    }

    fn in_a_box(
        &self,
        place: &Place,
        touch: Touch,
        incoming: Option<&Incoming>,
    ) -> Result<(Line, Command), GitError> {
        self.git.enclosed.fetch_add(1, Ordering::Relaxed);
        let Git { env, manner, .. } = self.git;
        let configuration = self.git.configuration()?;
        let stores = place.stores(&configuration, &manner.filters);
        let words = configuration.programs(&manner.filters).into_iter();
        let outside = Outside::new(env.vars.clone(), Vec::new());
        let programs: Vec<PathBuf> =
            words.filter_map(|line| outside.find(line.split_whitespace().next()?)).collect();
        let config = configuration.for_the_box(&manner.filters);
        let name = self.name();
        let inside = Inside {
            env,
            folders: place.folders(self.dir.as_deref().unwrap_or(&place.work_tree)),
            touch,
            index: self.index.as_deref().and_then(Path::parent),
            name: &name,
            incoming: incoming.map(Incoming::path),
            stores: &stores,
            programs: &programs,
            config: config.as_bytes(),
            ignore: configuration.ignore.as_deref(),
            attributes: configuration.attributes.as_deref(),
        };
        let what = || format!("cannot make the box for git {name}");
        let (line, mut command) =
            enclosed::command(&inside).map_err(|source| GitError::Io { what: what(), source })?;
        if let Some(incoming) = incoming {
            incoming.tell(&mut command);
        }
        Ok((line, command))
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use nix::{sys::stat::Mode, unistd::mkfifo};

    use super::*;

    #[test]
    fn a_git_that_hangs_is_ended() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let (git, _) = Git::unbound(GitEnv::inherited())?;
        git.call(&["init", "-q"]).dir(folder.path()).ok()?;
        let git = git.bound(&folder.path().join(".git"), folder.path());
        let status = || git.call(&["status", "-z"]);
        mkfifo(&folder.path().join(".gitignore"), Mode::S_IRWXU)?;
        let hung = status().within(Duration::from_millis(300)).run().map(|reply| reply.code);
        assert!(matches!(hung, Err(GitError::Slow { .. })), "{hung:?}");
        fs::remove_file(folder.path().join(".gitignore"))?;
        assert_eq!(status().run().map(|reply| reply.code)?, 0);
        Ok(())
    }
}
