//! The user's commands after an accepted commit. A failing one is reported; it takes nothing back.

use std::time::{Duration, Instant};

use ralph_core::{
    effect::{GiveUp, RunScmTasks},
    gates::{excerpt::Excerpt, report::CommandEnd},
    input::{Failure, ScmReport},
    report::state_file_name,
    time::Millis,
};
use ralph_text::redact;

use super::{Live, agent::cannot_supervise};
use crate::{
    git::{GitError, agents_folders},
    outside::Outside,
    process::{Attention, Finished, Flow, Listener, ProcessEnd, ProcessSpec, StopWhy, Stream},
    project_file,
};

/// The exit code of a command that shells find and do not start.
const NOT_STARTED: i32 = 126;
/// Most characters of a command's output that are remembered.
const OUTPUT: usize = 2_000;
/// Largest state file that goes into a commit message.
const MAX_STATE_BYTES: u64 = 64 << 10;

impl Live {
    pub(super) fn run_scm_tasks(
        &mut self,
        request: &RunScmTasks,
        attention: &mut dyn Attention,
    ) -> Result<Vec<ScmReport>, Failure> {
        let mut reports = Vec::new();
        for task in request.tasks.iter().filter(|task| *task != "commit") {
            let started = self.scm_process(task, None)?;
            let report = self.scm_task(task, started, request.hard_timeout, attention)?;
            let is_over = report.end == CommandEnd::Interrupted;
            reports.push(report);
            if is_over {
                break;
            }
        }
        self.worktree()?.disturbed();
        Ok(reports)
    }

    /// Pushes the branch that keeps a given-up task's work.
    pub(super) fn push_kept(
        &mut self,
        branch: &str,
        most: Millis,
        attention: &mut dyn Attention,
    ) -> Result<ScmReport, Failure> {
        let started = self.scm_process("push", Some(branch))?;
        self.scm_task(&format!("push {branch}"), started, most, attention)
    }

    /// The diagnosis, and the task's state file, which stays on this machine otherwise.
    pub(super) fn with_state(&self, request: &GiveUp) -> String {
        let file = self.layout.run_views(&self.run).join("tasks");
        let file = file.join(state_file_name(&request.task));
        match project_file::text(&file, MAX_STATE_BYTES) {
            Ok(state) => format!("{}\n{state}", request.message),
            Err(_) => request.message.clone(),
        }
    }

    fn scm_task(
        &mut self,
        task: &str,
        started: Result<ProcessSpec, GitError>,
        most: Millis,
        attention: &mut dyn Attention,
    ) -> Result<ScmReport, Failure> {
        let task = task.to_owned();
        let spec = match started {
            Ok(spec) => spec,
            Err(refused @ GitError::LeadsToAgents { .. }) => {
                let output = format!("{refused}\nhelp: {}", refused.help());
                let end = CommandEnd::Exited { code: NOT_STARTED };
                return Ok(ScmReport { task, end, output });
            }
            Err(error) => return Err(error.into()),
        };
        let mut hearing = Hearing {
            output: Excerpt::new(OUTPUT),
            redacted: self.redacted.redactor().stream(),
            until: Instant::now() + Duration::from_millis(most.0),
        };
        let finished = self
            .supervisor
            .supervise(&spec, &mut hearing, attention)
            .map_err(|error| cannot_supervise(&error))?;
        let mut rest = Vec::new();
        hearing.redacted.finish(&mut rest);
        hearing.output.feed(&rest);
        let output = hearing.output.finish("");
        Ok(ScmReport { task, end: command_end(&finished), output })
    }

    /// `push` means this branch, or else that of the run; anything else is handed to the command as it is.
    fn scm_process(
        &mut self,
        task: &str,
        branch: Option<&str>,
    ) -> Result<Result<ProcessSpec, GitError>, Failure> {
        let command = self.settings.scm.command.clone();
        let (run, environment, state_home) =
            (self.run.clone(), self.environment.clone(), self.state_home.clone());
        let repository = self.worktree()?.repository();
        let outside = Outside::new(environment, agents_folders(repository.root(), &state_home));
        // A branch's name comes from the plan and may hold anything a shell understands.
        let started = match (command.as_str(), task) {
            ("git", "push") => {
                let branch =
                    branch.map_or_else(|| repository.branch(), |name| Ok(name.to_owned()))?;
                repository.push(&branch, outside)
            }
            _ => repository.outward(&format!("{command} {task}"), outside),
        };
        Ok(started.map(|command| ProcessSpec::outside(&command, run)))
    }
}

struct Hearing {
    output: Excerpt,
    redacted: redact::Stream,
    until: Instant,
}

impl Listener for Hearing {
    fn output(&mut self, _: Stream, bytes: &[u8]) -> Flow {
        let mut told = Vec::with_capacity(bytes.len());
        self.redacted.push(bytes, &mut told);
        self.output.feed(&told);
        Flow::Continue
    }

    fn deadline(&self) -> Option<Instant> {
        Some(self.until)
    }

    fn tick(&mut self, now: Instant) -> Flow {
        if now >= self.until { Flow::Stop(StopWhy::TimedOut) } else { Flow::Continue }
    }
}

fn command_end(finished: &Finished) -> CommandEnd {
    match (&finished.end, finished.interrupted, finished.stopped) {
        (_, Some(_), _) => CommandEnd::Interrupted,
        (_, None, Some(_)) => CommandEnd::TimedOut,
        (ProcessEnd::Exited { code }, ..) => CommandEnd::Exited { code: *code },
        (ProcessEnd::Signalled { signal }, ..) => CommandEnd::Signalled { signal: *signal },
        (ProcessEnd::NotStarted { .. }, ..) => CommandEnd::Exited { code: 127 },
    }
}
