//! Turns Cline's stream into events and facts, one line at a time. Keeps only bounded text.
//!
//! Its content begins anew with every piece, each holding all that came before: only an end is told.

use ralph_core::{
    ending::Ending,
    usage::{MicroUsd, Usage},
};
use ralph_text::cut;

use super::line::{Event, Line, Output, Tokens};
use crate::{
    event::{AgentEvent, SHOWN},
    exit::{ExitFacts, detail},
    failure::Failure,
    loose::{Loose, Scalar},
    port::{LineParser, StreamReport},
    stream_state::{self, StreamState, texts},
};

/// One call's stream.
pub(super) struct ClineParser {
    told: StreamState,
    /// The model that was asked for, until the end names the one that worked.
    model: String,
    /// The tool call that began last: its beginning may come in pieces.
    tool: String,
    /// How it says that it finished.
    finish: Option<String>,
    /// The error that ended it, as its events tell it.
    error: Option<Failure>,
    /// The last error on its error output.
    complaint: Option<Failure>,
}

impl LineParser for ClineParser {
    fn line(&mut self, line: &[u8], out: &mut Vec<AgentEvent>) {
        if line.trim_ascii().is_empty() {
            return;
        }
        match stream_state::read(line, &mut String::new()) {
            Some(parsed) => self.parsed(&parsed, out),
            None => self.told.unreadable += 1,
        }
    }

    /// It says its errors here once more; before it began, only here.
    fn error_line(&mut self, line: &[u8], _: &mut Vec<AgentEvent>) {
        let mut mended = String::new();
        let parsed = stream_state::read::<Line<'_>>(line, &mut mended);
        if let Some(parsed) = parsed.filter(|parsed| parsed.kind.text() == "error") {
            self.complaint = Some(Failure::said(parsed.message.text()));
        }
    }

    fn finish(mut self: Box<Self>, exit: &ExitFacts) -> StreamReport {
        let ending = self.ending(exit);
        let failure = self.error.take().or(self.told.failure).or(self.complaint.take());
        self.told.failure = failure;
        self.told.report(ending)
    }
}

impl ClineParser {
    pub(super) fn new(model: &str) -> Self {
        Self {
            told: StreamState::default(),
            model: model.to_owned(),
            tool: String::new(),
            finish: None,
            error: None,
            complaint: None,
        }
    }

    fn parsed(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        match line.kind.text() {
            "hook_event" => self.hook(line, out),
            "agent_event" => {
                if let Some(event) = line.event.object() {
                    self.event(event, out);
                }
            }
            "run_result" => self.result(line, out),
            "error" => self.complaint = Some(Failure::said(line.message.text())),
            _ => return,
        }
        self.told.understood += 1;
    }

    fn hook(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        let is_own = line.parent.text().is_empty();
        if is_own && self.told.session.is_none() && line.hook.text() == "agent_start" {
            let model = std::mem::take(&mut self.model);
            self.told.began(line.task.text(), &model, out);
        }
    }

    fn event(&mut self, event: &Event<'_>, out: &mut Vec<AgentEvent>) {
        match (event.kind.text(), event.content.text()) {
            ("content_start", "tool") => self.tool_start(event, out),
            ("content_start", "text") => {
                self.told.failure = None;
                self.told.keep(event.accumulated.text());
            }
            ("content_end", "tool") => self.tool_end(event, out),
            ("content_end", "text") => self.told.say(event.text.text(), out),
            ("content_end", "reasoning") => {
                self.told.think(either(&event.reasoning, &event.text), out);
            }
            ("usage", _) => {
                self.told.usage = of_event(event);
                out.push(AgentEvent::Spent { usage: self.told.usage });
            }
            ("notice", _) => self.told.note(event.message.text(), out),
            ("error", _) => self.failed(event, out),
            _ => {}
        }
    }

    fn tool_start(&mut self, event: &Event<'_>, out: &mut Vec<AgentEvent>) {
        let id = stream_state::name(event.call.text());
        if id.is_empty() || id != self.tool {
            id.clone_into(&mut self.tool);
            let input = event.input.map_or("", |input| input.get());
            self.told.tool_start(id, event.tool.text(), input, out);
        }
    }

    fn tool_end(&mut self, event: &Event<'_>, out: &mut Vec<AgentEvent>) {
        let parts: Vec<&Output<'_>> = match &event.output {
            Loose::Object(one) => vec![one],
            many => many.list().iter().filter_map(Loose::object).collect(),
        };
        let error = either_error(event);
        let is_error =
            !error.is_empty() || parts.iter().any(|part| part.success.truth() == Some(false));
        let said = parts.iter().map(|part| either(&part.result, &part.error));
        let output = texts(said.chain([event.output.text(), error]));
        self.told.tool_end(event.call.text(), &output, is_error, out);
    }

    fn failed(&mut self, event: &Event<'_>, out: &mut Vec<AgentEvent>) {
        let failure = Failure {
            error: event.class.text().to_owned(),
            status: 0,
            text: cut::head(either_error(event), SHOWN).to_owned(),
        };
        if event.recoverable.truth() == Some(true) {
            self.told.retries(failure, (0, 0), None, out);
        } else {
            self.told.note(&failure.text, out);
            self.error = Some(failure);
        }
    }

    fn result(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        let is_error = line.finish.text() != "completed";
        if !is_error && !line.text.text().is_empty() {
            self.told.keep(line.text.text());
        }
        if let Some(model) = line.model.object().map(|model| model.id.text()) {
            stream_state::name(model).clone_into(&mut self.told.model);
        }
        let tokens = line.aggregate.object().or(line.usage.object());
        self.told.usage = tokens.map_or(self.told.usage, of_tokens);
        out.push(AgentEvent::Result {
            is_error,
            text: cut::ellipsis(line.text.text(), SHOWN),
            usage: self.told.usage,
            turns: line.iterations.small(),
        });
        if is_error && self.error.is_none() {
            self.error = Some(Failure::said(line.text.text()));
        }
        self.finish = Some(stream_state::name(line.finish.text()).to_owned());
    }

    fn ending(&self, exit: &ExitFacts) -> Ending {
        if let Some(forced) = self.told.forced_ending(exit) {
            return forced;
        }
        match self.finish.as_deref() {
            Some("completed") if exit.is_clean() => return Ending::Ok,
            Some("max_iterations") => return Ending::MaxTurns,
            _ => {}
        }
        let failures = [&self.error, &self.told.failure, &self.complaint];
        let mut known = failures.into_iter().flatten();
        if let Some(ending) = known.find_map(Failure::ending) {
            return ending;
        }
        match (&self.error, &self.complaint) {
            (Some(error), _) => Ending::Crashed { detail: detail(&error.text) },
            // It complained before anything began: our command line or its own settings are not right.
            (None, Some(said)) if self.told.understood == 0 => {
                Ending::NotFound { detail: detail(&said.text) }
            }
            _ => self.told.without_end(exit),
        }
    }
}

fn either<'a>(one: &'a Scalar<'_>, other: &'a Scalar<'_>) -> &'a str {
    if one.text().is_empty() { other.text() } else { one.text() }
}

/// The error of an event, as an object or as bare words.
fn either_error<'a>(event: &'a Event<'_>) -> &'a str {
    event.error.object().map_or(event.error.text(), |error| error.message.text())
}

fn of_event(event: &Event<'_>) -> Usage {
    without_cached(Usage {
        input: event.input_tokens.count(),
        output: event.output_tokens.count(),
        cache_read: event.cache_read.count(),
        cache_write: event.cache_write.count(),
        cost: MicroUsd::from_dollars(event.cost.number().unwrap_or(0.0)),
        is_estimate: false,
    })
}

fn of_tokens(tokens: &Tokens<'_>) -> Usage {
    without_cached(Usage {
        input: tokens.input.count(),
        output: tokens.output.count(),
        cache_read: tokens.cache_read.count(),
        cache_write: tokens.cache_write.count(),
        cost: MicroUsd::from_dollars(tokens.cost.number().unwrap_or(0.0)),
        is_estimate: false,
    })
}

/// It counts what came from the cache or went there as input too.
fn without_cached(usage: Usage) -> Usage {
    let cached = usage.cache_read.saturating_add(usage.cache_write);
    Usage { input: usage.input.saturating_sub(cached), ..usage }
}
