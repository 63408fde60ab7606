//! What one agent call leaves on disk: the prompt before it starts, its raw streams, the events they meant.

use std::path::{Path, PathBuf};

use ralph_core::{effect::AgentCall, memory::handoff::Handoff, news::Chatter};

use crate::sink::{self, Sink};

/// The files of one call. A retry has files of its own, so that nothing is overwritten.
#[derive(Debug)]
pub(super) struct Transcript {
    handoff: PathBuf,
    own: PathBuf,
    stdout: Sink,
    stderr: Sink,
    events: Sink,
}

impl Transcript {
    /// Saves the prompt and opens the rest.
    pub(super) fn begin(folder: &Path, call: &AgentCall) -> std::io::Result<Self> {
        let name = |stem: &str, end: &str| match call.retry {
            0 => folder.join(format!("{stem}.{end}")),
            retry => folder.join(format!("{stem}.retry{retry}.{end}")),
        };
        sink::write(&name("prompt", "md"), call.prompt.as_bytes())?;
        Ok(Self {
            handoff: name("handoff", "json"),
            own: name("files", "d"),
            stdout: Sink::create(&name("agent", "ndjson"))?,
            stderr: Sink::create(&name("agent", "stderr"))?,
            events: Sink::create(&name("events", "jsonl"))?,
        })
    }

    /// Where files that the call itself needs are placed.
    pub(super) fn own_folder(&self) -> PathBuf {
        self.own.clone()
    }

    /// A transcript that cannot be written must not end the agent's work.
    pub(super) fn stdout(&mut self, bytes: &[u8]) {
        let _ = self.stdout.accept(bytes);
    }

    pub(super) fn stderr(&mut self, bytes: &[u8]) {
        let _ = self.stderr.accept(bytes);
    }

    pub(super) fn event(&mut self, chatter: &Chatter) {
        let _ = self.events.line(chatter);
    }

    pub(super) fn end(self, handoff: Option<&Handoff>) -> std::io::Result<()> {
        self.stdout.finish()?;
        self.stderr.finish()?;
        self.events.finish()?;
        match handoff {
            Some(handoff) => sink::write(&self.handoff, &serde_json::to_vec_pretty(handoff)?),
            None => Ok(()),
        }
    }
}
