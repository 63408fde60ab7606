//! An ordinary `ralph` on its leash: as long as this process holds the other end of its standard input it works; once
//! the end is let go it dies with its agent.

use std::{
    env,
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde::Deserialize;

use crate::wire::{Ask, StintEnd, StintInput};

/// What `ralph __stint` says at its end.
#[derive(Debug, Deserialize)]
pub(crate) struct Said {
    #[serde(flatten)]
    pub(crate) end: StintEnd,
    pub(crate) done: u32,
    pub(crate) tasks: u32,
    pub(crate) iterations: u32,
    pub(crate) cost_micro_usd: u64,
    #[serde(default)]
    pub(crate) asks: Vec<Ask>,
    #[serde(default)]
    pub(crate) weaker: Vec<String>,
}

/// How a ralph is started.
pub(crate) struct Start<'a> {
    pub(crate) host: &'a str,
    pub(crate) program: &'a Path,
    pub(crate) home: Option<&'a Path>,
    pub(crate) work: &'a Path,
    /// The loop's own folder, for its state and its log.
    pub(crate) folder: &'a Path,
    pub(crate) input: &'a StintInput,
    pub(crate) money: Option<u64>,
}

/// A ralph at work.
pub(crate) struct Ralph {
    child: Child,
    leash: Option<ChildStdin>,
    said: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
    log: PathBuf,
}

/// The worker's own options.
const OWN: [&str; 6] = [
    "FLEET_CREDENTIALS",
    "FLEET_REPOS",
    "FLEET_RALPH",
    "FLEET_ACCOUNT",
    "FLEET_TENANT",
    "RALPH_BIN",
];

/// How long it may take to die once its leash is let go.
const DIES_WITHIN: Duration = Duration::from_secs(2);

impl Ralph {
    pub(crate) fn start(start: &Start<'_>) -> Result<Self> {
        let log = start.folder.join("ralph.log");
        let errors =
            File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let limits = &start.input.spec.limits;
        let longest_wait = start.input.spec.times.longest_wait_ms.div_ceil(1_000);
        let mut command = Command::new(start.program);
        command.arg("-C").arg(start.work).args(["__stint", "--branch", &start.input.spec.branch]);
        command.args(["--iterations", &limits.iterations_per_stint.to_string()]);
        command.args(["--minutes", &limits.minutes_per_stint.to_string()]);
        command.args(["--longest-wait", &longest_wait.to_string()]);
        if let Some(money) = start.money {
            command.args(["--money", &money.to_string()]);
        }
        if start.input.by_person {
            command.arg("--by-person");
        }
        // What opens the server or a repository is the worker's alone, and so are its own options.
        let is_ours = |name: &str| {
            name.starts_with("TEMPORAL_") || name.starts_with("GIT_") || OWN.contains(&name)
        };
        let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        for name in names.filter(|name| is_ours(name)) {
            command.env_remove(name);
        }
        if let Some(home) = start.home {
            command.env("HOME", home).env("XDG_CONFIG_HOME", home.join(".config"));
        }
        command.env("XDG_STATE_HOME", start.folder.join("state"));
        // Names that begin with RALPH_ are settings.
        command.env("FLEET_HOST", start.host);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .with_context(|| format!("cannot start {}", start.program.display()))?;
        let leash = child.stdin.take();
        let said = Arc::new(Mutex::new(Vec::new()));
        let reader = child.stdout.take().map(|out| {
            let said = said.clone();
            thread::spawn(move || listen(out, &said))
        });
        Ok(Self { child, leash, said, reader, log })
    }

    /// Whether it has ended, and how.
    pub(crate) fn ended(&mut self) -> Result<Option<ExitStatus>> {
        self.child.try_wait().context("cannot check on ralph")
    }

    /// Asks it to end its agent, to keep its work and to leave.
    pub(crate) fn ask_to_leave(&self) {
        if let Ok(id) = i32::try_from(self.child.id()) {
            // It may be gone by now.
            let _ = kill(Pid::from_raw(id), Signal::SIGTERM);
        }
    }

    /// Ends it and its agent at once.
    pub(crate) fn kill(&mut self) -> Result<()> {
        drop(self.leash.take());
        let until = Instant::now() + DIES_WITHIN;
        while self.ended()?.is_none() {
            if Instant::now() >= until {
                self.child.kill().context("cannot kill ralph")?;
                self.child.wait().context("cannot wait for ralph")?;
                break;
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// What it said at its end, if it came so far.
    pub(crate) fn said(&mut self) -> Option<Said> {
        let until = Instant::now() + DIES_WITHIN;
        // Something that it started may still have its output open.
        while self.reader.as_ref().is_some_and(|it| !it.is_finished()) && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
        let text = self.said.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let text = String::from_utf8_lossy(&text);
        let last = text.lines().rfind(|line| !line.trim().is_empty())?;
        serde_json::from_str(last).ok()
    }

    /// The last lines of what it complained about.
    pub(crate) fn complaint(&self) -> String {
        let text = fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> =
            text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        lines.get(lines.len().saturating_sub(5)..).unwrap_or_default().join("; ")
    }
}

fn listen(mut out: impl Read, said: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 4_096];
    while let Ok(read) = out.read(&mut buffer) {
        if read == 0 {
            break;
        }
        let fresh = buffer.get(..read).unwrap_or_default();
        said.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(fresh);
    }
}

impl Drop for Ralph {
    fn drop(&mut self) {
        // No way out of a stint may leave an agent behind.
        let _ = self.kill();
    }
}
