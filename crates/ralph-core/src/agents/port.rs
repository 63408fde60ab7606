//! The ports of an agent: a command line, and a reader of what that command prints. Holds no agent's facts.

use super::{event::AgentEvent, exit::ExitFacts, reset::ResetHint};
use crate::{
    claim, effect::AgentCall, ending::Ending, ids::RunId, memory::handoff::Handoff,
    settings::Claims, time::Timestamp, usage::Usage,
};

/// One agent command line tool.
pub trait Agent: Sync {
    /// Its name in settings.
    fn name(&self) -> &'static str;

    /// How it is started for this call.
    fn command(&self, call: &AgentCall, place: &Place) -> Result<CommandSpec, CommandProblem>;

    /// A reader for the output of this call.
    fn parser(&self, call: &AgentCall) -> Box<dyn LineParser>;
}

/// Reads one call's standard output in constant memory.
pub trait LineParser: Send {
    /// Takes one line, without its newline, and adds the events it means. No line is fatal.
    fn line(&mut self, line: &[u8], out: &mut Vec<AgentEvent>);

    /// Tells how the call ended, after the last line and the end of the process.
    fn finish(self: Box<Self>, exit: &ExitFacts) -> StreamReport;
}

/// Which run a call belongs to, and when this process of it begins.
///
/// The time is what keeps names that agents remember (session ids) from being used twice when a call is
/// repeated after a crash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub run: RunId,
    pub started: Timestamp,
}

/// A process to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandSpec {
    pub program: String,
    pub args: Vec<String>,
    /// Variables to set, besides those passed through.
    pub env: Vec<(String, String)>,
    /// Written to standard input, which is then closed.
    pub stdin: Vec<u8>,
}

/// Why no command line could be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandProblem {
    #[error("cannot split {text:?} into words: a quote is left open")]
    OpenQuote { text: String },
    #[error("no program is named for the agent")]
    NoProgram,
}

impl CommandProblem {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::OpenQuote { .. } => "close the quote in agent.command or agent.flags",
            Self::NoProgram => "set agent.command to a built-in agent or to the command to run",
        }
    }
}

/// What a call's output says, once it is over.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamReport {
    pub ending: Ending,
    /// The agent's last message, its end if it was very long.
    pub last_message: String,
    /// The output has no messages: only its last line can be a claim.
    pub is_plain: bool,
    pub handoff: Option<Handoff>,
    pub usage: Usage,
    pub session: Option<String>,
    /// Tool calls it made.
    pub tools: u32,
    /// Tool calls that failed.
    pub tool_errors: u32,
    /// When a usage limit ends, as far as the words of the agent tell.
    pub reset_hint: Option<ResetHint>,
    /// Lines that could not be read.
    pub unreadable: u64,
}

impl StreamReport {
    /// Whether the agent claims that everything is done.
    pub fn claims_completion(&self, claims: &Claims) -> bool {
        let find = if self.is_plain { claim::in_output } else { claim::in_message };
        find(&self.last_message, self.handoff.as_ref(), claims)
    }

    /// Puts the time of a hint that can be read without knowing time zones into a usage limit.
    pub fn resolve_reset(&mut self, now: Timestamp) {
        if let Ending::UsageLimit { resets_at: resets_at @ None, .. } = &mut self.ending {
            *resets_at = self.reset_hint.as_ref().and_then(|hint| hint.resolve(now));
        }
    }
}

/// Splits `agent.command` and the flags into one argument vector.
pub(super) fn split(texts: &[&str]) -> Result<Vec<String>, CommandProblem> {
    let mut words = Vec::new();
    for text in texts {
        words.extend(
            shell_words::split(text)
                .map_err(|_| CommandProblem::OpenQuote { text: (*text).to_owned() })?,
        );
    }
    Ok(words)
}
