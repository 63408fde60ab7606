//! A scratch repository with a plan, settings and a scripted agent, and the real `ralph` binary run in it.

use std::{
    ffi::OsStr,
    fs, io,
    os::unix::{
        fs::{PermissionsExt, lchown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::agent_script::agent_script;
#[cfg(target_os = "linux")]
use crate::pty::{Pty, Size};

/// Settings of the scratch project's user.
const USER_SETTINGS: &str = "home/.config/ralph/settings.toml";

/// Why a test leaves a part of the default path out. A house rule counts the uses of each (`tidy/defaults.rs`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Because {
    /// It is about what ralph does without that part.
    ItIsAboutThat,
    /// It asserts how many calls there are, in which order, or what they cost: a review would be one more.
    ItCountsCalls,
    /// Its agent or its person must reach what a sandbox keeps from them, to show that ralph notices.
    ItReachesOut,
    /// It kills or measures so often that the sandbox would cost minutes; another test does the same with it.
    ItRepeatsALot,
}

/// Gate of every scratch project: red while `BROKEN` exists.
const GATE: &str =
    "#!/bin/sh\nif [ -e src/BROKEN ]; then echo 'FAILED src/BROKEN exists'; exit 1; fi\necho ok\n";

/// A project to run ralph in. Everything lives below one temporary folder.
pub struct TestRun {
    folder: TempDir,
    ralph: PathBuf,
    env: Vec<(String, String)>,
    user: Option<u32>,
}

impl TestRun {
    /// A repository with one commit, a gate `./gate.sh`, `tasks` tasks `T-1` …, each with the check
    /// `test -f work/T-n`, an agent that runs `agent` (a shell script body; see `agent_script.rs`), and a reviewer that
    /// approves. ralph's sandbox and reviews are as they are by default.
    pub fn new(ralph: impl Into<PathBuf>, tasks: usize, agent: &str) -> io::Result<Self> {
        Self::made(ralph.into(), &plan(tasks, &[]), agent, "approve")
    }

    /// The same with each review answered by `reviewer` (a shell script body as well), and with the sentence
    /// `work/T-n reads well` beside each task's check.
    pub fn reviewed(
        ralph: impl Into<PathBuf>,
        tasks: usize,
        agent: &str,
        reviewer: &str,
    ) -> io::Result<Self> {
        Self::made(ralph.into(), &plan(tasks, &["work/T-# reads well"]), agent, reviewer)
    }

    /// The same without reviews, for a test that says why.
    pub fn without_review(self, _why: Because) -> io::Result<Self> {
        // The lowest layer, so that a project's own settings can ask for reviews.
        self.write(USER_SETTINGS, "[review]\nmode = \"off\"\n")?;
        Ok(self)
    }

    /// The same without the sandbox, for a test that says why.
    #[must_use]
    pub fn without_sandbox(self, _why: Because) -> Self {
        self.with_env("RALPH_SANDBOX", "off")
    }

    fn made(ralph: PathBuf, plan: &str, agent: &str, reviewer: &str) -> io::Result<Self> {
        let run = Self { folder: tempfile::tempdir()?, ralph, env: Vec::new(), user: None };
        for folder in ["home", "work/src", "work/.ralph", "state", "tmp"] {
            fs::create_dir_all(run.path(folder))?;
        }
        run.write("work/README.md", "# scratch\n")?;
        run.write("work/src/main.txt", "original\n")?;
        run.program("work/gate.sh", GATE)?;
        let script = agent_script(&run.path("state"), &run.work(), agent, reviewer);
        run.program("agent.sh", &script)?;
        run.write("work/.ralph/settings.toml", &run.settings())?;
        run.write("work/.ralph/plan.json", plan)?;
        run.git(&["init", "-q", "-b", "main"])?;
        run.git(&["add", "-A"])?;
        run.git(&["commit", "-q", "-m", "begin"])?;
        Ok(run)
    }

    /// The same with a variable in ralph's environment.
    #[must_use]
    pub fn with_env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// The same as a user (and group) of this number: all files are theirs, ralph and git run as them.
    pub fn owned_by(mut self, user: u32) -> io::Result<Self> {
        give(self.folder.path(), user)?;
        self.user = Some(user);
        Ok(self)
    }

    /// Gives files that were written since to the user who runs ralph.
    pub fn give_back(&self) -> io::Result<()> {
        self.user.map_or(Ok(()), |user| give(self.folder.path(), user))
    }

    /// A path below the run's folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The repository.
    pub fn work(&self) -> PathBuf {
        self.path("work")
    }

    /// Writes a file below the run's folder.
    pub fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let path = self.path(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)
    }

    /// Reads a file below the run's folder; empty if there is none.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// The folder of views of the only run.
    pub fn only_run(&self) -> io::Result<PathBuf> {
        let entries = fs::read_dir(self.work().join(".ralph/runs"))?.flatten();
        let mut folders = entries.map(|entry| entry.path()).filter(|path| path.is_dir());
        folders.next().ok_or_else(|| io::Error::other("there is no run"))
    }

    /// Appends to the settings.
    pub fn set(&self, text: &str) -> io::Result<()> {
        let name = "work/.ralph/settings.toml";
        let joined = format!("{}\n{text}\n", self.read(name));
        self.write(name, &joined)
    }

    /// Puts the settings and the plan as they are now into the last commit.
    pub fn amend(&self) -> io::Result<()> {
        self.git(&["add", "-A"])?;
        self.git(&["commit", "-q", "--amend", "--no-edit", "--allow-empty"]).map(drop)
    }

    /// Runs ralph to its end.
    pub fn ralph(&self, args: &[&str]) -> io::Result<Output> {
        self.command(args).output()
    }

    /// Starts ralph and leaves it running.
    pub fn spawn(&self, args: &[&str]) -> io::Result<Child> {
        let log = fs::File::create(self.path("ralph.log"))?;
        self.command(args).stdout(Stdio::null()).stderr(log).spawn()
    }

    /// Runs git in the repository and gives what it printed.
    pub fn git(&self, args: &[&str]) -> io::Result<String> {
        let mut command = Command::new("git");
        self.surround(&mut command);
        let output = command.args(args).output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(io::Error::other(format!("git {args:?}: {said}")));
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// A command of ralph in the repository, to be started by the test.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.command_of(&self.ralph);
        command.args(args);
        command
    }

    /// Starts ralph on a terminal of its own: UTF-8, no colour, as wide and high as asked for.
    #[cfg(target_os = "linux")]
    pub fn on_terminal(&self, args: &[&str], size: Size) -> io::Result<Pty> {
        let mut command = Command::new("setsid");
        self.surround(&mut command);
        command.env("TERM", "xterm-256color").env("LANG", "C.UTF-8").envs(self.env.iter().cloned());
        Pty::start(command.arg("--ctty").arg(&self.ralph).args(args), size)
    }

    /// A command of another program with ralph's surroundings.
    pub fn command_of(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        self.surround(&mut command);
        command.envs(self.env.iter().cloned()).stdin(Stdio::null());
        command
    }

    fn surround(&self, command: &mut Command) {
        let identity = ["AUTHOR", "COMMITTER"].into_iter().flat_map(|who| {
            let name = |what: &str| format!("GIT_{who}_{what}");
            [(name("NAME"), "Tester".into()), (name("EMAIL"), "tester@example.invalid".to_owned())]
        });
        command
            .current_dir(self.work())
            .env_clear()
            .envs(identity)
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .env("XDG_STATE_HOME", self.path("home/state"))
            .env("NO_COLOR", "1")
            // Scripted agents and gates leave their marks there.
            .env("RALPH_SANDBOX_WRITABLE", self.path("state"));
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
    }

    fn settings(&self) -> String {
        let agent = self.path("agent.sh");
        format!(
            "[agent]\ncommand = \"{}\"\n[[gate]]\nname = \"tests\"\ncommand = \"./gate.sh\"\nkind = \"test\"\n",
            agent.display()
        )
    }

    /// Writes a program below the run's folder.
    pub fn program(&self, name: &str, text: &str) -> io::Result<()> {
        self.write(name, text)?;
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755))
    }
}

/// Gives a folder and everything in it to a user.
fn give(path: &Path, user: u32) -> io::Result<()> {
    lchown(path, Some(user), Some(user))?;
    if path.is_symlink() || !path.is_dir() {
        return Ok(());
    }
    fs::read_dir(path)?.try_for_each(|entry| give(&entry?.path(), user))
}

fn plan(tasks: usize, sentences: &[&str]) -> String {
    let task = |n: usize| {
        let check =
            json!({"text": format!("work/T-{n} exists"), "check": format!("test -f work/T-{n}")});
        let sentences = sentences.iter().map(|text| json!(text.replace('#', &n.to_string())));
        let criteria: Vec<Value> = [check].into_iter().chain(sentences).collect();
        json!({
            "id": format!("T-{n}"), "title": format!("make work/T-{n}"), "status": "pending", "order": n,
            "acceptance_criteria": criteria,
        })
    };
    let tasks: Vec<Value> = (1..=tasks).map(task).collect();
    let plan = json!({"version": 1, "project": "scratch", "tasks": tasks});
    serde_json::to_string_pretty(&plan).unwrap_or_default()
}
