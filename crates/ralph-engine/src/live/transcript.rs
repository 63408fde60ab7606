//! What one agent call leaves on disk: the prompt before it starts, its raw streams, the events they meant.

use std::path::{Path, PathBuf};

use ralph_agents::live_event::Chatter;
use ralph_core::{effect::AgentCall, handoff::Handoff, vocabulary::Kind};

use super::call_files::without_seal;
use crate::sink::{RedactedFiles, Sink};

/// The files of one call. A retry has files of its own, so that nothing is overwritten.
#[derive(Debug)]
pub(super) struct Transcript {
    redacted: RedactedFiles,
    handoff: PathBuf,
    record: PathBuf,
    /// What they give back is without secrets: nobody may hear anything else. One that cannot be written must not end
    /// the agent's work.
    pub(super) stdout: Sink,
    pub(super) stderr: Sink,
    events: Sink,
}

impl Transcript {
    /// Saves the prompt and opens the rest.
    pub(super) fn begin(
        redacted: &RedactedFiles,
        folder: &Path,
        call: &AgentCall,
    ) -> std::io::Result<Self> {
        // A compaction has a folder of its own each time.
        let retry = if call.kind == Kind::Compact { 0 } else { call.retry };
        let name = |stem: &str, end: &str| match retry {
            0 => folder.join(format!("{stem}.{end}")),
            retry => folder.join(format!("{stem}.retry{retry}.{end}")),
        };
        let prompt = without_seal(call, &call.prompt);
        redacted.write(&name("prompt", "md"), prompt.as_bytes())?;
        Ok(Self {
            redacted: redacted.clone(),
            handoff: name("handoff", "json"),
            record: name("files", "d"),
            stdout: redacted.open(&name("agent", "ndjson"))?,
            stderr: redacted.open(&name("agent", "stderr"))?,
            events: redacted.open(&name("events", "jsonl"))?,
        })
    }

    /// Where copies of the files that the call itself needs stay, without secrets.
    pub(super) fn record_folder(&self) -> PathBuf {
        self.record.clone()
    }

    pub(super) fn event(&mut self, chatter: &Chatter) {
        let _ = self.events.line(chatter);
    }

    /// Lets whoever follows the files see all that came so far.
    pub(super) fn show(&mut self) {
        for sink in [&mut self.stdout, &mut self.stderr, &mut self.events] {
            sink.show();
        }
    }

    pub(super) fn end(self, handoff: Option<&Handoff>) -> std::io::Result<()> {
        self.stdout.finish()?;
        self.stderr.finish()?;
        self.events.finish()?;
        match handoff {
            Some(handoff) => {
                self.redacted.write(&self.handoff, &serde_json::to_vec_pretty(handoff)?)
            }
            None => Ok(()),
        }
    }
}
