//! Channels that start a program: the user's command, and the desktop's own. In the shim, outside the box.

use std::time::{Duration, Instant};

use ralph_core::notify::Message;

use super::{Deliver, Surroundings, Undelivered};
use crate::process::{
    Flow, Graces, Listener, Nobody, ProcessEnd, ProcessSpec, StopWhy, Stream, Supervisor,
};

/// Starts a program for each message.
pub(super) struct Program {
    what: What,
    timeout: Duration,
    around: Surroundings,
}

enum What {
    /// A shell command, which reads the message as JSON.
    Command(String),
    Desktop,
}

impl Program {
    pub(super) fn command(command: &str, timeout: Duration, around: &Surroundings) -> Self {
        Self::new(What::Command(command.to_owned()), timeout, around)
    }

    pub(super) fn desktop(timeout: Duration, around: &Surroundings) -> Self {
        Self::new(What::Desktop, timeout, around)
    }

    fn new(what: What, timeout: Duration, around: &Surroundings) -> Self {
        Self { what, timeout, around: around.clone() }
    }

    fn spec(&self, message: &Message) -> Result<ProcessSpec, Undelivered> {
        let (program, args, stdin) = match &self.what {
            What::Command(command) => {
                let stdin = serde_json::to_vec(message)
                    .map_err(|error| Undelivered::lasting(error.to_string()))?;
                ("/bin/sh", vec!["-c".into(), command.clone()], stdin)
            }
            What::Desktop => {
                let (program, args) = desktop(message);
                (program, args, Vec::new())
            }
        };
        let mut command = self.around.outside.command_for(program);
        command.args(args);
        Ok(ProcessSpec { stdin, ..ProcessSpec::outside(&command, self.around.run.clone()) })
    }
}

impl Deliver for Program {
    fn deliver(&mut self, message: &Message) -> Result<(), Undelivered> {
        let spec = self.spec(message)?;
        let graces = Graces { timeout: Duration::from_millis(500), ..Graces::default() };
        let supervisor = Supervisor { graces, ..Supervisor::default() };
        let mut deaf = Deaf { until: Instant::now() + self.timeout };
        let finished = supervisor.supervise(&spec, &mut deaf, &mut Nobody).map_err(|error| {
            Undelivered::passing(format!("its command cannot be started: {error}"))
        })?;
        match (finished.end, finished.stopped) {
            (_, Some(_)) => Err(Undelivered::lasting("its command timed out")),
            (ProcessEnd::Exited { code: 0 }, None) => Ok(()),
            (ProcessEnd::Exited { code }, None) => {
                Err(Undelivered::lasting(format!("its command ended with exit code {code}")))
            }
            (ProcessEnd::Signalled { signal }, None) => {
                Err(Undelivered::lasting(format!("its command was ended by signal {signal}")))
            }
            (ProcessEnd::NotStarted { .. }, None) => {
                let program = spec.program.to_string_lossy();
                Err(Undelivered::lasting(format!("{program} is not installed")))
            }
        }
    }
}

/// Waits for the end; what the program says is nobody's business.
struct Deaf {
    until: Instant,
}

impl Listener for Deaf {
    fn output(&mut self, _: Stream, _: &[u8]) -> Flow {
        Flow::Continue
    }

    fn deadline(&self) -> Option<Instant> {
        Some(self.until)
    }

    fn tick(&mut self, now: Instant) -> Flow {
        if now >= self.until { Flow::Stop(StopWhy::TimedOut) } else { Flow::Continue }
    }
}

/// The program that shows a message on this desktop. Texts are arguments, never code.
fn desktop(message: &Message) -> (&'static str, Vec<String>) {
    let words = message.words();
    let text = words.split_once('\n').map_or("", |(_, text)| text);
    if cfg!(target_os = "macos") {
        let script = [
            "on run argv",
            "display notification (item 2 of argv) with title (item 1 of argv)",
            "end run",
        ];
        let lines = script.iter().flat_map(|line| ["-e".to_owned(), (*line).to_owned()]);
        return ("osascript", lines.chain([message.title.clone(), text.to_owned()]).collect());
    }
    let urgency = if message.urgent { "critical" } else { "normal" };
    // The body is markup to most desktops.
    let body = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let flags = ["--app-name=ralph".to_owned(), format!("--urgency={urgency}"), "--".to_owned()];
    ("notify-send", flags.into_iter().chain([message.title.clone(), body]).collect())
}
