//! One command of a gate or check, through the supervisor: output to its log, an excerpt, what its tests say.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    io,
    time::{Duration, Instant},
};

use ralph_core::{
    gates::{
        excerpt::Excerpt,
        report::{CommandEnd, TestSummary},
        runners::TestReader,
    },
    isolation::Contact,
    time::Millis,
    vocabulary::NetworkPreset,
};

use super::{
    environment::name_failures,
    ground::Meddling,
    place::{GateNotice, GatePlace},
};
use crate::{
    git::GitError,
    process::{Attention, Flow, Listener, ProcessEnd, ProcessError, ProcessSpec, StopWhy, Stream},
    sandbox::{EncloseError, Stay},
    sink::Sink,
};

/// Why ralph could not run a gate. A gate that fails is no error.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    #[error("cannot start `{name}`: {detail}")]
    NotStarted { name: String, detail: String },
    #[error("cannot write the log {log}")]
    Log { log: String, source: io::Error },
    #[error("cannot put `{name}` into its sandbox: {source}")]
    Enclosure { name: String, source: EncloseError },
    #[error("cannot undo what `{name}` wrote: {source}")]
    Ground { name: String, source: GitError },
    #[error("cannot supervise `{name}`")]
    Process { name: String, source: ProcessError },
}

impl GateError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::NotStarted { .. } => {
                "check that /bin/sh exists and the workspace is accessible; ralph doctor tests the sandbox"
            }
            Self::Log { .. } => "check that the disk is not full and .ralph/runs is writable",
            Self::Enclosure { .. } => {
                "run ralph doctor, or work without isolation with --sandbox=off"
            }
            Self::Ground { .. } => "check the repository with git status",
            Self::Process { .. } => "try again; if it happens again, report it",
        }
    }
}

/// One command line and its bounds.
#[derive(Debug)]
pub(super) struct ShellCommand<'a> {
    /// For people: the gate's name or the check's command.
    pub(super) name: &'a str,
    pub(super) command: &'a str,
    /// Folder of the tree that it runs in; empty is the root.
    pub(super) dir: &'a str,
    pub(super) env: &'a [(String, String)],
    /// What it may reach, if not the same as all gates.
    pub(super) network: Option<NetworkPreset>,
    /// Zero is none.
    pub(super) soft_timeout: Millis,
    /// Zero is none.
    pub(super) hard_timeout: Millis,
    /// File name of its log.
    pub(super) log: String,
    pub(super) truncate: usize,
}

/// What a command gave.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) end: CommandEnd,
    pub(super) took: Millis,
    pub(super) tests: TestSummary,
    pub(super) output: String,
    pub(super) traffic: Vec<Contact>,
    /// Relative to the run's folder.
    pub(super) log: String,
    pub(super) meddling: Meddling,
}

impl Ran {
    /// A command that was never started because the run is stopping.
    pub(super) fn interrupted() -> Self {
        Self {
            end: CommandEnd::Interrupted,
            took: Millis::default(),
            tests: TestSummary::default(),
            output: String::new(),
            traffic: Vec::new(),
            log: String::new(),
            meddling: Meddling::default(),
        }
    }
}

/// Runs the command to its end, its time limit or an interruption.
pub(super) fn run_command(
    command: &ShellCommand<'_>,
    place: &GatePlace<'_>,
    attention: &mut dyn Attention,
) -> Result<Ran, GateError> {
    let log = format!("{}/{}", place.logs, command.log);
    let log_error = |source| GateError::Log { log: log.clone(), source };
    let sink = place.redacted.open(&place.run_folder.join(&log)).map_err(log_error)?;
    let mut ear = Ear::new(command, place, sink);
    let stay = Stay {
        sandbox_request: place.ground.sandbox_request(),
        rules: place.enclosure.gate_rules(command.network),
        log: (place.redacted.clone(), place.run_folder.join(format!("{log}.network.jsonl"))),
    };
    let (spec, visit) = place
        .enclosure
        .enclose(process_spec(command, place), stay)
        .map_err(|source| GateError::Enclosure { name: command.name.to_owned(), source })?;
    let finished = place
        .supervisor
        .supervise(&spec, &mut ear, attention)
        .map_err(|source| GateError::Process { name: command.name.to_owned(), source })?;
    let traffic = visit.end();
    let meddling = place
        .ground
        .put_back()
        .map_err(|source| GateError::Ground { name: command.name.to_owned(), source })?;
    if let Some(error) = ear.broken {
        return Err(log_error(error));
    }
    ear.hear_rest();
    ear.sink.finish().map_err(log_error)?;
    let end = match (finished.end, finished.interrupted, finished.stopped) {
        (ProcessEnd::NotStarted { detail }, ..) => {
            return Err(GateError::NotStarted { name: command.name.to_owned(), detail });
        }
        (_, Some(_), _) => CommandEnd::Interrupted,
        (_, None, Some(_)) => CommandEnd::TimedOut,
        (ProcessEnd::Exited { code }, None, None) => CommandEnd::Exited { code },
        (ProcessEnd::Signalled { signal }, None, None) => CommandEnd::Signalled { signal },
    };
    let took = Millis(u64::try_from(finished.took.as_millis()).unwrap_or(u64::MAX));
    // Whole: whoever reads it may work anywhere.
    let shown = place.run_folder.join(&log).display().to_string();
    let (tests, output) = (ear.tests.finish(), ear.excerpt.finish(&shown));
    Ok(Ran { end, took, tests, output, traffic, log, meddling })
}

fn process_spec(command: &ShellCommand<'_>, place: &GatePlace<'_>) -> ProcessSpec {
    let mut env: BTreeMap<OsString, OsString> = place.env.iter().cloned().collect();
    env.extend(command.env.iter().map(|(name, value)| (name.into(), value.into())));
    name_failures(&mut env);
    ProcessSpec {
        // Not one that the search path leads to: that may be the tree's own.
        program: "/bin/sh".into(),
        args: vec!["-c".into(), shell_text(command).into()],
        env: env.into_iter().collect(),
        cwd: place.workspace.to_owned(),
        stdin: Vec::new(),
        merge_stderr: true,
        run: place.run.clone(),
        enclosed: None,
    }
}

/// What the shell gets. It goes to the folder itself, inside the box: one that the work removed or bent makes a red
/// gate, never an error of ralph's.
fn shell_text(command: &ShellCommand<'_>) -> String {
    if command.dir.is_empty() {
        return command.command.to_owned();
    }
    let quoted = command.dir.replace('\'', r"'\''");
    format!("cd -- '{quoted}' || exit\n{}", command.command)
}

/// Hears one command.
struct Ear<'a> {
    sink: Sink,
    excerpt: Excerpt,
    tests: TestReader,
    /// When to warn; gone once that happened.
    soft: Option<Instant>,
    hard: Option<Instant>,
    /// Why the log could not be written.
    broken: Option<io::Error>,
    warn: Box<dyn Fn() + 'a>,
}

impl<'a> Ear<'a> {
    fn new(command: &ShellCommand<'a>, place: &GatePlace<'a>, sink: Sink) -> Self {
        let now = Instant::now();
        let after = |length: Millis| {
            (!length.is_zero()).then(|| now.checked_add(Duration::from_millis(length.0))).flatten()
        };
        let (watch, gate, after_length) = (place.watch, command.name, command.soft_timeout);
        Self {
            sink,
            excerpt: Excerpt::new(command.truncate),
            tests: TestReader::default(),
            soft: after(command.soft_timeout),
            hard: after(command.hard_timeout),
            broken: None,
            warn: Box::new(move || {
                watch(GateNotice::Slow { gate, after: after_length });
            }),
        }
    }
}

impl Ear<'_> {
    /// The command has ended: what was held back of its output belongs to it.
    fn hear_rest(&mut self) {
        let bytes = self.sink.rest();
        self.excerpt.feed(bytes);
        self.tests.feed(bytes);
    }
}

impl Listener for Ear<'_> {
    fn output(&mut self, _: Stream, bytes: &[u8]) -> Flow {
        let bytes = self.sink.accept(bytes);
        self.excerpt.feed(bytes);
        self.tests.feed(bytes);
        match self.sink.failure() {
            None => Flow::Continue,
            Some(error) => {
                self.broken.get_or_insert(error);
                Flow::Stop(StopWhy::Other)
            }
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.soft.into_iter().chain(self.hard).min()
    }

    fn tick(&mut self, now: Instant) -> Flow {
        if self.soft.is_some_and(|soft| now >= soft) {
            self.soft = None;
            (self.warn)();
        }
        if self.hard.is_some_and(|hard| now >= hard) {
            return Flow::Stop(StopWhy::TimedOut);
        }
        Flow::Continue
    }
}
