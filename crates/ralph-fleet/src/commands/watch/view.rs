//! The process that shows a run: `ralph watch` in the folder of the mirror.

use std::{
    io::IsTerminal as _,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use crate::{commands::context::Context, error::CommandError};

/// How long a view without a terminal may take to print what it was given last.
const LAST_LINES: Duration = Duration::from_secs(10);

/// How long a view may take to give the terminal back.
const LEAVES_WITHIN: Duration = Duration::from_secs(1);

/// Ends with its terminal, or with the run.
pub(super) struct View {
    child: Child,
    is_on_terminal: bool,
}

impl View {
    pub(super) fn start(
        ralph: &Path,
        folder: &Path,
        context: &Context,
    ) -> Result<Self, CommandError> {
        let is_json = context.printer.is_json;
        let is_on_terminal =
            !is_json && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        let mut command = Command::new(ralph);
        command.arg("-C").arg(folder).arg("watch");
        if is_json {
            command.arg("--json");
        }
        if !is_on_terminal {
            command.stdin(Stdio::null());
        }
        let child = command.spawn().map_err(|error| {
            let help = "name another ralph with --ralph FILE";
            CommandError::usage(format!("cannot start {}", ralph.display()), help)
                .because(vec![error.to_string()])
        })?;
        Ok(Self { child, is_on_terminal })
    }

    /// Whether it draws on a terminal, where nothing else may be printed.
    pub(super) fn has_screen(&self) -> bool {
        self.is_on_terminal
    }

    /// Whether the person has left it. One without a terminal ends with the run, and the loop may go on after that.
    pub(super) fn is_left(&mut self) -> Result<bool, CommandError> {
        Ok(self.child.try_wait()?.is_some() && self.is_on_terminal)
    }

    /// Waits until everything is shown; on a terminal, until the person leaves.
    pub(super) async fn finish(mut self) -> Result<(), CommandError> {
        let began = Instant::now();
        while self.child.try_wait()?.is_none() {
            if !self.is_on_terminal && began.elapsed() > LAST_LINES {
                self.child.kill()?;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }
}

/// A command that fails half-way or is ended leaves no view behind, and the terminal as it was.
impl Drop for View {
    fn drop(&mut self) {
        let pid = i32::try_from(self.child.id()).map(Pid::from_raw);
        let began = Instant::now();
        let mut asked = false;
        while matches!(self.child.try_wait(), Ok(None)) {
            if began.elapsed() > LEAVES_WITHIN {
                let _ = self.child.kill();
            } else if let (false, Ok(pid)) = (asked, pid) {
                asked = kill(pid, Signal::SIGTERM).is_ok();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
