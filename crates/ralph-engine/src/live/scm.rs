//! The user's commands after an accepted commit. A failing one is reported; it takes nothing back.

use std::{
    ffi::OsString,
    path::Path,
    time::{Duration, Instant},
};

use ralph_core::{
    effect::RunScmTasks,
    gates::{excerpt::Excerpt, report::CommandEnd},
    input::{Failure, ScmReport},
    redact,
};

use super::{Live, agent::cannot_supervise};
use crate::{
    git::GitEnv,
    process::{Attention, Finished, Flow, Listener, ProcessEnd, ProcessSpec, StopWhy, Stream},
};

/// Most characters of a command's output that are remembered.
const OUTPUT: usize = 2_000;

impl Live {
    pub(super) fn run_scm_tasks(
        &mut self,
        request: &RunScmTasks,
        attention: &mut dyn Attention,
    ) -> Result<Vec<ScmReport>, Failure> {
        let root = self.worktree()?.root().to_owned();
        let branch = self.worktree()?.repository().branch()?;
        let mut reports = Vec::new();
        for task in request.tasks.iter().filter(|task| *task != "commit") {
            let spec = self.scm_process(task, &branch, &root);
            let mut hearing = Hearing {
                output: Excerpt::new(OUTPUT),
                redacted: self.mouth.redactor().stream(),
                until: Instant::now() + Duration::from_millis(request.hard_timeout.0),
            };
            let finished = self
                .supervisor
                .supervise(&spec, &mut hearing, attention)
                .map_err(|error| cannot_supervise(&error))?;
            let end = command_end(&finished);
            let mut rest = Vec::new();
            hearing.redacted.finish(&mut rest);
            hearing.output.feed(&rest);
            let output = hearing.output.finish("");
            reports.push(ScmReport { task: task.clone(), end, output });
            if end == CommandEnd::Interrupted {
                break;
            }
        }
        self.worktree()?.disturbed();
        Ok(reports)
    }

    /// `push` means the run branch; anything else is handed to the command as it is.
    fn scm_process(&self, task: &str, branch: &str, root: &Path) -> ProcessSpec {
        let command = &self.settings.scm.command;
        // A branch's name comes from the plan and may hold anything a shell understands.
        let (program, args) = match (command.as_str(), task) {
            ("git", "push") => {
                ("git", ["push", "--set-upstream", "origin", branch].map(Into::into).to_vec())
            }
            _ => ("sh", vec!["-c".into(), format!("{command} {task}").into()]),
        };
        ProcessSpec {
            program: program.into(),
            args,
            env: scm_environment(&self.environment, root),
            cwd: root.to_owned(),
            stdin: Vec::new(),
            merge_stderr: true,
            run: self.run.clone(),
            enclosed: None,
        }
    }
}

/// What git must not take from the worktree: projects keep hooks among their files, and agents write those.
const NOT_FROM_HERE: [(&str, &str); 2] =
    [("core.hooksPath", "/dev/null"), ("core.fsmonitor", "false")];

/// The user's variables, so that no program, hook or monitor of git is found among what agents wrote: these commands
/// run outside any box.
fn scm_environment(environment: &[(OsString, OsString)], root: &Path) -> Vec<(OsString, OsString)> {
    let mut env = GitEnv::new("git", environment.to_vec()).outside(root).vars;
    let count = "GIT_CONFIG_COUNT";
    let set = env.iter().find(|(name, _)| name == count).and_then(|(_, value)| value.to_str());
    let first: usize = set.and_then(|value| value.parse().ok()).unwrap_or_default();
    env.retain(|(name, _)| name != count);
    for (number, (key, value)) in (first..).zip(NOT_FROM_HERE) {
        env.push((format!("GIT_CONFIG_KEY_{number}").into(), key.into()));
        env.push((format!("GIT_CONFIG_VALUE_{number}").into(), value.into()));
    }
    env.push((count.into(), (first + NOT_FROM_HERE.len()).to_string().into()));
    env
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
    match (&finished.end, finished.interrupted, &finished.stopped) {
        (_, Some(_), _) => CommandEnd::Interrupted,
        (_, None, Some(_)) => CommandEnd::TimedOut,
        (ProcessEnd::Exited { code }, ..) => CommandEnd::Exited { code: *code },
        (ProcessEnd::Signalled { signal }, ..) => CommandEnd::Signalled { signal: *signal },
        (ProcessEnd::NotStarted { .. }, ..) => CommandEnd::Exited { code: 127 },
    }
}

#[cfg(test)]
mod tests {
    use std::{error::Error, fs, os::unix::fs::PermissionsExt as _, process::Command};

    use super::*;

    #[test]
    fn a_push_runs_nothing_that_lies_in_the_worktree() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let (root, far) = (folder.path().join("work"), folder.path().join("far"));
        fs::create_dir_all(root.join("hooks"))?;
        let mark = folder.path().join("mark");
        for trap in ["hooks/pre-push", "git"] {
            let trap = root.join(trap);
            fs::write(&trap, format!("#!/bin/sh\n: > '{}'\n", mark.display()))?;
            fs::set_permissions(&trap, fs::Permissions::from_mode(0o755))?;
        }
        let path = std::env::var("PATH")?;
        let git = |args: &[&str], env: Vec<(OsString, OsString)>| {
            let who = ["-c", "user.name=x", "-c", "user.email=x@example.invalid"];
            let mut command = Command::new("sh");
            command.args(["-c", "git \"$@\"", "sh"]).args(who).args(args).current_dir(&root);
            command.env_clear().envs(env).env("HOME", folder.path()).output()
        };
        let plain = || vec![("PATH".into(), path.clone().into())];
        let far = far.display().to_string();
        for args in [
            &["init", "-q", "-b", "main", "."][..],
            &["init", "-q", "--bare", &far],
            &["config", "core.hooksPath", "hooks"],
            &["commit", "-q", "--allow-empty", "-m", "x"],
            &["remote", "add", "origin", &far],
        ] {
            assert!(git(args, plain())?.status.success(), "{args:?}");
        }
        let careless = vec![("PATH".into(), format!("{}:.:{path}", root.display()).into())];
        let pushed = git(&["push", "-q", "origin", "main"], scm_environment(&careless, &root))?;
        assert!(pushed.status.success(), "{}", String::from_utf8_lossy(&pushed.stderr));
        assert!(!mark.exists());
        // The traps are real ones.
        git(&["push", "-q", "origin", "main:other"], plain())?;
        assert!(fs::exists(&mark)?);
        Ok(())
    }
}
