//! What every parser remembers of a stream, bounded, and the events that all of them tell alike.
//!
//! Knows no agent's format: a parser reads its lines and says here what they mean.

use ralph_core::{ending::Ending, handoff::Handoff, usage::Usage};
use ralph_text::cut;
use serde::Deserialize;

use super::{
    event::{AgentEvent, SHOWN},
    exit::{EndedBy, ExitFacts},
    failure::Failure,
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
    pub last_message: String,
    /// The agent's own structured output.
    pub structured: Option<Handoff>,
    pub usage: Usage,
    pub session: Option<String>,
    pub model: String,
    pub window: Option<u64>,
    /// The last failed request that nothing of the model's followed.
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
    pub(super) fn say(&mut self, text: &str, out: &mut Vec<AgentEvent>) {
        self.failure = None;
        self.keep(text);
        out.push(AgentEvent::Text { text: cut::ellipsis(text, SHOWN) });
    }

    /// The last message, without telling it again.
    pub(super) fn keep(&mut self, message: &str) {
        self.last_message.clear();
        self.last_message.push_str(cut::tail(message, KEEP));
    }

    /// One more piece of the message under way.
    pub(super) fn keep_piece(&mut self, piece: &str) {
        self.last_message.push_str(piece);
        if self.last_message.len() > 2 * KEEP {
            self.last_message = cut::tail(&self.last_message, KEEP).to_owned();
        }
    }

    pub(super) fn think(&mut self, text: &str, out: &mut Vec<AgentEvent>) {
        self.failure = None;
        if !text.is_empty() {
            out.push(AgentEvent::Thinking { text: cut::ellipsis(text, SHOWN) });
        }
    }

    /// Something that is neither the agent's words nor its work.
    #[expect(clippy::unused_self, reason = "it is told like every other event")]
    pub(super) fn note(&self, text: &str, out: &mut Vec<AgentEvent>) {
        if !text.is_empty() {
            out.push(AgentEvent::Progress { text: cut::ellipsis(text, SHOWN) });
        }
    }

    /// A tool call; `input` is JSON as it came.
    pub(super) fn tool_start(
        &mut self,
        id: &str,
        name: &str,
        input: &str,
        out: &mut Vec<AgentEvent>,
    ) {
        self.failure = None;
        self.tools = self.tools.saturating_add(1);
        self.question = tool_input::question(name, input);
        out.push(AgentEvent::ToolStart {
            id: self::name(id).to_owned(),
            name: self::name(name).to_owned(),
            input: tool_input::summary(input),
        });
        out.extend(tool_input::todo(name, input));
    }

    pub(super) fn tool_end(
        &mut self,
        id: &str,
        output: &str,
        is_error: bool,
        out: &mut Vec<AgentEvent>,
    ) {
        self.tool_errors = self.tool_errors.saturating_add(u32::from(is_error));
        out.push(AgentEvent::ToolEnd {
            id: name(id).to_owned(),
            output: cut::ellipsis(output, SHOWN),
            lines: lines_in(output),
            chars: output.chars().count() as u64,
            is_error,
        });
    }

    /// A tool call that was not allowed.
    pub(super) fn denied(&mut self, tool: &str, why: &str, out: &mut Vec<AgentEvent>) {
        self.denials = self.denials.saturating_add(1);
        let (tool, why) = (name(tool).to_owned(), cut::ellipsis(why, SHOWN));
        out.push(AgentEvent::Denied { tool, why });
    }

    pub(super) fn began(&mut self, session: &str, model: &str, out: &mut Vec<AgentEvent>) {
        let (session, model) = (name(session), name(model));
        self.session_is(session);
        if !model.is_empty() {
            model.clone_into(&mut self.model);
        }
        out.push(AgentEvent::Session { id: session.to_owned(), model: model.to_owned() });
    }

    pub(super) fn session_is(&mut self, id: &str) {
        if !id.is_empty() {
            self.session = Some(name(id).to_owned());
        }
    }

    /// A request that failed; the agent tries again after `delay_ms`, or `None` if that was not told.
    pub(super) fn retries(
        &mut self,
        failure: Failure,
        (attempt, of): (u32, u32),
        delay_ms: Option<u64>,
        out: &mut Vec<AgentEvent>,
    ) {
        let error = cut::ellipsis(&failure.word(), SHOWN);
        out.push(AgentEvent::Retry { attempt, of, delay_ms, error });
        self.failure = Some(failure);
    }

    /// How the call ended, unless only the agent's own words can tell.
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

    /// The ending of a call whose stream has no end of its own.
    pub(super) fn without_end(&self, exit: &ExitFacts) -> Ending {
        if let Some(ending) = self.failure.as_ref().and_then(Failure::ending) {
            return ending;
        }
        match (self.understood, self.unreadable) {
            (0, 0) if exit.code != Some(0) => exit
                .refused_command_line()
                .or_else(|| Failure::said(&exit.stderr_tail).ending())
                .unwrap_or_else(|| exit.ending_without_output()),
            (0, 0) => exit.ending_without_output(),
            (0, lines) => Ending::Malformed {
                detail: format!("none of its {lines} lines of output is of the expected form"),
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

/// Reads a line as a JSON object. Bytes that are no UTF-8 do not cost the whole line; `None` if it is no object of
/// this shape.
pub(super) fn read<'a, T: Deserialize<'a>>(line: &'a [u8], mended: &'a mut String) -> Option<T> {
    // A list would be read too, as an object whose values stand in the order of its fields.
    if line.trim_ascii_start().first() != Some(&b'{') {
        return None;
    }
    if let Ok(read) = serde_json::from_slice(line) {
        return Some(read);
    }
    match String::from_utf8_lossy(line) {
        std::borrow::Cow::Owned(text) => {
            *mended = text;
            serde_json::from_str(mended).ok()
        }
        std::borrow::Cow::Borrowed(_) => None,
    }
}

/// How many lines a text has; the end of the last one may be missing.
fn lines_in(text: &str) -> u64 {
    let ends = text.bytes().filter(|byte| *byte == b'\n').count();
    ends as u64 + u64::from(!text.is_empty() && !text.ends_with('\n'))
}

/// An id or a name: only its beginning, if it is longer than any real one.
pub(super) fn name(text: &str) -> &str {
    cut::head(text, NAME)
}

/// Texts on lines of their own.
pub(super) fn texts<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}
