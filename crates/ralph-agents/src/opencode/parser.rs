//! Turns OpenCode's stream into events and facts, one line at a time. Keeps only bounded text.
//!
//! It has neither a first nor a last line: the end is a last step that says `stop`, no error, and exit 0.

use ralph_core::{
    ending::Ending,
    usage::{MicroUsd, Usage},
};
use ralph_text::cut;

use super::line::{Cache, ErrorData, Line, LineError, Part, Tokens};
use crate::{
    event::{AgentEvent, SHOWN},
    exit::{ExitFacts, detail},
    failure::Failure,
    port::{LineParser, StreamReport},
    stream_state::{self, StreamState, texts},
};

/// One call's stream.
pub(super) struct OpenCodeParser {
    told: StreamState,
    /// The model that was asked for: the stream names none.
    model: String,
    /// Why the last step ended.
    reason: String,
    /// The error that ended it.
    error: Option<Failure>,
    /// Requests that failed.
    failed: u32,
}

impl LineParser for OpenCodeParser {
    fn line(&mut self, line: &[u8], out: &mut Vec<AgentEvent>) {
        if line.trim_ascii().is_empty() {
            return;
        }
        match stream_state::read(line, &mut String::new()) {
            Some(parsed) => self.parsed(&parsed, out),
            None => self.told.unreadable += 1,
        }
    }

    fn error_line(&mut self, line: &[u8], out: &mut Vec<AgentEvent>) {
        if let Some(why) = failed_request(&String::from_utf8_lossy(line)) {
            self.failed = self.failed.saturating_add(1);
            self.told.retries(Failure::said(why), (self.failed, 0), None, out);
        }
    }

    fn finish(mut self: Box<Self>, exit: &ExitFacts) -> StreamReport {
        let ending = self.ending(exit);
        self.told.failure = self.error.take().or(self.told.failure);
        self.told.report(ending)
    }
}

impl OpenCodeParser {
    pub(super) fn new(model: &str) -> Self {
        Self {
            told: StreamState::default(),
            model: model.to_owned(),
            reason: String::new(),
            error: None,
            failed: 0,
        }
    }

    fn parsed(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        if self.told.session.is_none() && !line.session.text().is_empty() {
            let model = std::mem::take(&mut self.model);
            self.told.began(line.session.text(), &model, out);
        }
        let none = Part::default();
        let part = line.part.object().unwrap_or(&none);
        match line.kind.text() {
            "step_start" => self.reason.clear(),
            "text" if part.synthetic.truth() == Some(true) => self.goes_on(part, out),
            "text" => self.told.say(part.text.text(), out),
            "reasoning" => self.told.think(part.text.text(), out),
            "tool_use" => self.tool(part, out),
            "step_finish" => self.step(part, out),
            "error" => self.failed(line.error.object(), out),
            _ => return,
        }
        self.told.understood += 1;
    }

    /// It has made room in a full context and goes on with what is left of the conversation.
    fn goes_on(&mut self, part: &Part<'_>, out: &mut Vec<AgentEvent>) {
        self.error = None;
        self.told.note(part.text.text(), out);
    }

    /// A tool call, told when it is over.
    fn tool(&mut self, part: &Part<'_>, out: &mut Vec<AgentEvent>) {
        let Some(state) = part.state.object() else {
            return;
        };
        let id = part.call.text();
        self.told.tool_start(id, part.tool.text(), state.input.map_or("", |raw| raw.get()), out);
        let exit = state.metadata.object().and_then(|metadata| metadata.exit.number());
        let is_error = state.status.text() == "error" || exit.is_some_and(|code| code != 0.0);
        let output = texts([state.output.text(), state.error.text()].into_iter());
        self.told.tool_end(id, &output, is_error, out);
    }

    /// A step is over: its tokens and its money count.
    fn step(&mut self, part: &Part<'_>, out: &mut Vec<AgentEvent>) {
        stream_state::name(part.reason.text()).clone_into(&mut self.reason);
        let cost = MicroUsd::from_dollars(part.cost.number().unwrap_or(0.0));
        let used = part.tokens.object().map(usage).unwrap_or_default();
        self.told.usage.add(Usage { cost, ..used });
        out.push(AgentEvent::Spent { usage: self.told.usage });
    }

    fn failed(&mut self, error: Option<&LineError<'_>>, out: &mut Vec<AgentEvent>) {
        let Some(error) = error else {
            self.error = Some(Failure::default());
            return;
        };
        let none = ErrorData::default();
        let data = error.data.object().unwrap_or(&none);
        let word = match error.name.text() {
            "ProviderAuthError" => "authentication",
            "ContextOverflowError" => "context_window_exceeded",
            name => name,
        };
        let failure = |text: &str| Failure {
            error: word.to_owned(),
            status: data.status.count(),
            text: cut::head(text, SHOWN).to_owned(),
        };
        let mut told = failure(data.message.text());
        if told.ending().is_none() {
            // Some providers say only in the body what their message leaves out.
            let whole = failure(&texts([data.message.text(), data.body.text()].into_iter()));
            told = if whole.ending().is_some() { whole } else { told };
        }
        self.told.note(&told.text, out);
        self.error = Some(told);
    }

    fn ending(&self, exit: &ExitFacts) -> Ending {
        if let Some(forced) = self.told.forced_ending(exit) {
            return forced;
        }
        if let Some(error) = &self.error {
            let what = if error.text.is_empty() { &error.error } else { &error.text };
            let crashed = || Ending::Crashed { detail: detail(what) };
            return match error.error.as_str() {
                "ContentFilterError" => Ending::Refused { detail: detail(what) },
                _ => error.ending().unwrap_or_else(crashed),
            };
        }
        match self.reason.as_str() {
            "stop" if exit.is_clean() => Ending::Ok,
            "content-filter" => Ending::Refused { detail: "its provider filtered it".into() },
            "" | "stop" => self.told.without_end(exit),
            reason => {
                let what = format!("its last step ended with {reason:?}; {}", exit.describe());
                Ending::Crashed { detail: detail(&what) }
            }
        }
    }
}

/// Why a request of the conversation failed, if a line of its log says that: requests by the way (for a title)
/// have a model of their own and are passed over.
fn failed_request(line: &str) -> Option<&str> {
    if !line.contains("message=\"stream error\"") || line.contains(" small=true ") {
        return None;
    }
    let (_, why) = line.split_once("error.error=\"")?;
    Some(why.rsplit_once('"').map_or(why, |(why, _)| why))
}

fn usage(tokens: &Tokens<'_>) -> Usage {
    let none = Cache::default();
    let cache = tokens.cache.object().unwrap_or(&none);
    Usage {
        input: tokens.input.count(),
        output: tokens.output.count().saturating_add(tokens.reasoning.count()),
        cache_read: cache.read.count(),
        cache_write: cache.write.count(),
        ..Usage::default()
    }
}
