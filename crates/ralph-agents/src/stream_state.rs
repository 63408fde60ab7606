//! What is remembered of any agent's stream, bounded, and the events that all streams are turned into.
//!
//! Knows no agent's format: a reader of one says here what its lines mean.

use ralph_core::{
    ending::Ending,
    handoff::Handoff,
    usage::{MicroUsd, Usage},
};
use ralph_text::cut;

use super::{
    event::{AgentEvent, SHOWN},
    exit::{EndedBy, ExitFacts, cause, detail},
    failure::Failure,
    json::Json,
    port::StreamReport,
    reset::ResetHint,
    tool_input,
};

/// Most bytes of the last message that are kept.
const KEEP: usize = 256 * 1024;
/// Most bytes of an id or a name.
const NAME: usize = 256;

/// What is known of a call so far.
#[derive(Default)]
pub(super) struct StreamState {
    /// Events that were not handed on yet.
    pub events: Vec<AgentEvent>,
    pub last_message: String,
    /// The agent's own structured output.
    pub structured: Option<Handoff>,
    pub usage: Usage,
    pub session: Option<String>,
    pub model: String,
    pub window: Option<u64>,
    /// The last failed request after which the model said and did nothing.
    pub failure: Option<Failure>,
    /// The question it asked by a tool, with nothing done since.
    pub question: Option<String>,
    /// Lines of a known type.
    pub understood: u64,
    /// Lines that could not be read.
    pub unreadable: u64,
    tools: u32,
    tool_errors: u32,
    denials: u32,
}

impl StreamState {
    /// Text of the agent itself.
    pub(super) fn say(&mut self, text: &str) {
        self.failure = None;
        self.keep(text);
        self.events.push(AgentEvent::Text { text: shown(text) });
    }

    /// The last message, without showing it again.
    pub(super) fn keep(&mut self, message: &str) {
        self.last_message.clear();
        self.last_message.push_str(cut::tail(message, KEEP));
    }

    /// One more piece of the message under way.
    pub(super) fn keep_piece(&mut self, piece: &str) {
        self.last_message.push_str(cut::tail(piece, KEEP));
        if self.last_message.len() > 2 * KEEP {
            self.last_message = cut::tail(&self.last_message, KEEP).to_owned();
        }
    }

    pub(super) fn think(&mut self, text: &str) {
        self.failure = None;
        if !text.is_empty() {
            self.events.push(AgentEvent::Thinking { text: shown(text) });
        }
    }

    /// Something that is neither the agent's words nor its work.
    pub(super) fn note(&mut self, text: &str) {
        if !text.is_empty() {
            self.events.push(AgentEvent::Progress { text: shown(text) });
        }
    }

    /// A tool call; `input` is JSON as it came, or plain text.
    pub(super) fn tool_start(&mut self, id: &str, name: &str, input: &str) {
        self.failure = None;
        self.tools = self.tools.saturating_add(1);
        self.question = tool_input::question(name, input);
        self.events.push(AgentEvent::ToolStart {
            id: self::name(id),
            name: self::name(name),
            input: tool_input::summary(input),
        });
        self.events.extend(tool_input::todo(name, input));
    }

    pub(super) fn tool_end(&mut self, id: &str, output: &str, is_error: bool) {
        self.tool_errors = self.tool_errors.saturating_add(u32::from(is_error));
        self.events.push(AgentEvent::ToolEnd {
            id: name(id),
            output: shown(output),
            lines: lines_in(output),
            chars: output.chars().count() as u64,
            is_error,
        });
    }

    /// A tool call that was not allowed.
    pub(super) fn denied(&mut self, tool: &str, why: &str) {
        self.denials = self.denials.saturating_add(1);
        self.events.push(AgentEvent::Denied { tool: name(tool), why: shown(why) });
    }

    pub(super) fn began(&mut self, session: &str, model: &str) {
        self.set_session(session);
        let (id, model) = (name(session), name(model));
        if !model.is_empty() {
            self.model.clone_from(&model);
        }
        self.events.push(AgentEvent::Session { id, model });
    }

    pub(super) fn set_session(&mut self, id: &str) {
        if !id.is_empty() {
            self.session = Some(name(id));
        }
    }

    /// What the call has used so far.
    pub(super) fn spent(&mut self, usage: Usage) {
        self.usage = usage;
        self.events.push(AgentEvent::Spent { usage });
    }

    /// The turn is over.
    pub(super) fn turn_over(&mut self, is_error: bool, text: &str, turns: u32) {
        let (text, usage) = (shown(text), self.usage);
        self.events.push(AgentEvent::Result { is_error, text, usage, turns });
    }

    /// A request that failed; the agent tries again after `delay_ms`, if it said how long it waits.
    pub(super) fn retries(
        &mut self,
        failure: Failure,
        (attempt, of): (u32, u32),
        delay_ms: Option<u64>,
    ) {
        let error = shown(&failure.word());
        self.events.push(AgentEvent::Retry { attempt, of, delay_ms, error });
        self.failure = Some(failure);
    }

    /// How the call ended, unless only the agent's own words say it.
    pub(super) fn forced_ending(&self, exit: &ExitFacts) -> Option<Ending> {
        let failure = self.failure.as_ref();
        match (exit.forced_ending()?, exit.ended_by_us) {
            (Ending::AuthFailed { .. }, _) if failure.is_some() => {
                failure.map(Failure::auth_failed)
            }
            (_, Some(EndedBy::Waits { until })) => {
                let mut ending = failure.and_then(Failure::ending);
                if let Some(Ending::UsageLimit { resets_at, .. }) = &mut ending {
                    *resets_at = resets_at.or(until);
                }
                ending.or_else(|| exit.forced_ending())
            }
            (forced, _) => Some(forced),
        }
    }

    /// The ending of a call whose stream says that it succeeded.
    pub(super) fn success(exit: &ExitFacts) -> Ending {
        if exit.is_clean() {
            return Ending::Ok;
        }
        Ending::Crashed { detail: format!("after its turn: {}", exit.describe()) }
    }

    /// The ending of a call whose stream says that it failed, and why.
    pub(super) fn failed(&self, failure: &Failure) -> Ending {
        failure
            .ending()
            .or_else(|| self.failure.as_ref()?.ending())
            .unwrap_or_else(|| Ending::Crashed { detail: detail(&failure.text) })
    }

    /// The ending of a call whose stream has no end of its own.
    pub(super) fn without_end(&self, exit: &ExitFacts) -> Ending {
        if let Some(ending) = self.failure.as_ref().and_then(Failure::ending) {
            return ending;
        }
        match (self.understood, self.unreadable) {
            (0, 0) if exit.code != Some(0) => exit
                .refused()
                .or_else(|| Failure::said(&cause(&exit.stderr_tail)).ending())
                .unwrap_or_else(|| exit.ending_without_output()),
            (0, 0) => exit.ending_without_output(),
            (0, lines) => Ending::Malformed {
                detail: format!("none of its {lines} lines of output has the expected form"),
            },
            _ => Ending::Crashed { detail: format!("no result; {}", exit.describe()) },
        }
    }

    /// The report of a call that ended like this.
    pub(super) fn report(self, ending: Ending) -> StreamReport {
        let ending = match (ending, self.question) {
            (Ending::Ok, Some(question)) => Ending::AskedQuestion { question },
            (ending, _) => ending,
        };
        let mut last_message = self.last_message;
        if last_message.len() > KEEP {
            last_message = cut::tail(&last_message, KEEP).to_owned();
        }
        StreamReport {
            ending,
            reset_hint: self.failure.as_ref().and_then(|failure| ResetHint::read(&failure.text)),
            is_structured: self.structured.is_some(),
            handoff: self.structured.or_else(|| Handoff::from_text(&last_message)),
            last_message,
            is_plain: false,
            usage: self.usage,
            session: self.session,
            model: self.model,
            window: self.window,
            tools: self.tools,
            tool_errors: self.tool_errors,
            denials: self.denials,
            understood: self.understood,
            unreadable: self.unreadable,
        }
    }
}

/// How many lines a text has; the end of the last one may be missing.
fn lines_in(text: &str) -> u64 {
    let ends = text.bytes().filter(|byte| *byte == b'\n').count();
    ends as u64 + u64::from(!text.is_empty() && !text.ends_with('\n'))
}

fn shown(text: &str) -> String {
    cut::ellipsis(text, SHOWN)
}

/// An id or a name: only its beginning, if it is longer than any real one.
pub(super) fn name(text: &str) -> String {
    cut::head(text, NAME).to_owned()
}

/// Tokens by the names of their fields: input, output, read from the cache, written to it.
pub(super) fn tokens(counts: Json<'_>, [input, output, read, written]: [&str; 4]) -> Usage {
    Usage {
        input: counts.count(input),
        output: counts.count(output),
        cache_read: counts.count(read),
        cache_write: counts.count(written),
        ..Usage::default()
    }
}

/// The same for agents whose input includes what came from the cache or went there.
pub(super) fn tokens_with_cached(counts: Json<'_>, names: [&str; 4]) -> Usage {
    let usage = tokens(counts, names);
    let cached = usage.cache_read.saturating_add(usage.cache_write);
    Usage { input: usage.input.saturating_sub(cached), ..usage }
}

/// Money in dollars.
pub(super) fn dollars(of: Json<'_>, name: &str) -> MicroUsd {
    MicroUsd::from_dollars(of.number(name).unwrap_or(0.0))
}
