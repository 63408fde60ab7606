//! Turns the stream into events and facts, one line at a time. Keeps only bounded text.

use ralph_core::{
    handoff::Handoff,
    usage::{MicroUsd, Usage},
};
use ralph_text::cut;

use super::{
    denials::Denials,
    dialect::Dialect,
    ending::{Facts, ResultFacts},
    line::{Block, Line, Message, Tokens},
};
use crate::{
    event::{AgentEvent, SHOWN},
    exit::ExitFacts,
    failure::Failure,
    loose::Loose,
    port::{LineParser, StreamReport},
    reset,
    stream_state::{self, StreamState, texts},
};

/// The model's name on text that the CLI made itself.
const SYNTHETIC: &str = "<synthetic>";

/// One call's stream.
pub(crate) struct StreamParser {
    told: StreamState,
    facts: Facts,
    denials: Denials,
    /// The message whose tokens were counted last: its lines repeat them.
    counted: String,
    so_far: Usage,
}

impl LineParser for StreamParser {
    fn line(&mut self, line: &[u8], out: &mut Vec<AgentEvent>) {
        if line.trim_ascii().is_empty() {
            return;
        }
        match stream_state::read(line, &mut String::new()) {
            Some(parsed) => self.parsed(&parsed, out),
            None => self.told.unreadable += 1,
        }
    }

    fn finish(mut self: Box<Self>, exit: &ExitFacts) -> StreamReport {
        let ending = self.facts.ending(&self.told, exit);
        if let Some(result) = self.facts.result.filter(|result| result.is_error) {
            self.told.failure.get_or_insert(result.failure);
        }
        self.told.report(ending)
    }
}

impl StreamParser {
    pub(crate) fn new(dialect: Dialect) -> Self {
        Self {
            told: StreamState::default(),
            facts: Facts { dialect, ..Facts::default() },
            denials: Denials::default(),
            counted: String::new(),
            so_far: Usage::default(),
        }
    }

    fn parsed(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        self.told.understood += 1;
        match line.kind.text() {
            "assistant" => self.assistant(line, out),
            "user" => self.user(line, out),
            "result" => self.result(line, out),
            "system" => self.system(line, out),
            "rate_limit_event" => self.rate_limit(line, out),
            "stream_event" => {}
            _ => self.told.understood -= 1,
        }
    }

    fn assistant(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        let Some(message) = line.message.object() else {
            return;
        };
        if message.model.text() == SYNTHETIC
            || !line.error.text().is_empty()
            || self.is_error_text(message)
        {
            return self.synthetic(line, message, out);
        }
        self.told.failure = None;
        self.count(message, out);
        let is_own = line.parent_tool_use_id.text().is_empty();
        if let Loose::Text(text) = &message.content {
            self.say(text, is_own, out);
        }
        for block in message.content.list().iter().filter_map(Loose::object) {
            match block.kind.text() {
                "text" => self.say(block.text.text(), is_own, out),
                "thinking" => self.told.think(block.thinking.text(), out),
                "tool_use" => {
                    let input = block.input.map_or("", |input| input.get());
                    self.denials.started(block.id.text(), block.name.text());
                    self.told.tool_start(block.id.text(), block.name.text(), input, out);
                }
                _ => {}
            }
        }
    }

    /// Tokens of a message, which each of its lines repeats; what comes out is known only at the end.
    fn count(&mut self, message: &Message<'_>, out: &mut Vec<AgentEvent>) {
        let Some(tokens) = message.usage.object() else {
            return;
        };
        let used = self.usage(tokens, MicroUsd(0));
        let id = stream_state::name(message.id.text());
        if (id.is_empty() || id != self.counted) && used.tokens() > 0 {
            id.clone_into(&mut self.counted);
            self.so_far.add(used);
            out.push(AgentEvent::Spent { usage: self.so_far });
        }
    }

    /// Whether the tool made this message of a failed request, without marking it.
    fn is_error_text(&self, message: &Message<'_>) -> bool {
        let lead = self.facts.dialect.error_text;
        let mut blocks = message.content.list().iter().filter_map(Loose::object);
        !lead.is_empty() && blocks.next().is_some_and(|block| block.text.text().starts_with(lead))
    }

    /// Text of the agent; that of a subagent is progress, never its last words.
    fn say(&mut self, text: &str, is_own: bool, out: &mut Vec<AgentEvent>) {
        if is_own {
            self.told.say(text, out);
        } else {
            self.told.note(text, out);
        }
    }

    /// Text that the CLI made: an error message.
    fn synthetic(&mut self, line: &Line<'_>, message: &Message<'_>, out: &mut Vec<AgentEvent>) {
        let text: String = match &message.content {
            Loose::Text(text) => text.to_string(),
            blocks => texts(blocks.list().iter().filter_map(Loose::object).map(|b| b.text.text())),
        };
        self.told.failure = Some(Failure {
            error: line.error.text().to_owned(),
            status: line.api_error_status.count(),
            text: cut::head(&text, SHOWN).to_owned(),
        });
        self.told.note(&text, out);
    }

    fn user(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        let Some(message) = line.message.object() else {
            return;
        };
        for block in message.content.list().iter().filter_map(Loose::object) {
            if block.kind.text() == "tool_result" {
                self.tool_result(block, out);
                self.denial(line, block.tool_use_id.text(), out);
            }
        }
    }

    fn tool_result(&mut self, block: &Block<'_>, out: &mut Vec<AgentEvent>) {
        let joined;
        let output = if let Loose::Text(text) = &block.content {
            text.as_ref()
        } else {
            joined =
                texts(block.content.list().iter().filter_map(Loose::object).map(|p| p.text.text()));
            joined.as_str()
        };
        let is_error = block.is_error.truth() == Some(true);
        self.told.tool_end(block.tool_use_id.text(), output, is_error, out);
    }

    /// Tells of a tool call that was not allowed; the tool's result says why.
    fn denial(&mut self, line: &Line<'_>, id: &str, out: &mut Vec<AgentEvent>) {
        let mut metas = line.tool_result_meta.list().iter().filter_map(Loose::object);
        let meta = metas.find(|meta| meta.id.text() == id);
        let decision = meta.and_then(|meta| meta.permission_decision.object());
        if decision.is_some_and(|made| made.decision.text() == "reject") && self.denials.is_news(id)
        {
            self.told.denied(self.denials.tool(id), line.tool_use_result.text(), out);
        }
    }

    fn result(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        let subtype = line.subtype.text();
        let is_error = match line.is_error.truth() {
            Some(is_error) => is_error,
            // A line that says neither how it went nor what it is ends nothing.
            None if subtype.is_empty() => return,
            None => subtype != "success",
        };
        let text = if let Loose::Text(text) = &line.result {
            text.to_string()
        } else {
            let error = line.error.object().map_or("", |error| error.message.text());
            texts(line.errors.list().iter().map(Loose::text).chain([error, line.error.text()]))
        };
        if !is_error && !text.is_empty() {
            self.told.keep(&text);
        }
        let structured = line.structured_output.or(line.structured_result);
        self.told.structured = structured.and_then(|raw| Handoff::from_json(raw.get()));
        let cost = MicroUsd::from_dollars(line.total_cost_usd.number().unwrap_or(0.0));
        let counted = Usage { cost, ..self.so_far };
        self.told.usage = line.usage.object().map_or(counted, |tokens| self.usage(tokens, cost));
        self.told.window = line.model_usage.and_then(|raw| window(raw.get(), &self.told.model));
        self.told.session_is(line.session_id.text());
        for denial in line.permission_denials.list().iter().filter_map(Loose::object) {
            if self.denials.is_news(denial.tool_use_id.text()) {
                self.told.denied(denial.tool_name.text(), "", out);
            }
        }
        out.push(AgentEvent::Result {
            is_error,
            text: cut::ellipsis(&text, SHOWN),
            usage: self.told.usage,
            turns: line.num_turns.small(),
        });
        let error = [line.api_error.text(), line.error.text()].into_iter().find(|e| !e.is_empty());
        self.facts.result = Some(ResultFacts {
            is_error,
            subtype: subtype.to_owned(),
            terminal_reason: line.terminal_reason.text().to_owned(),
            stop_reason: line.stop_reason.text().to_owned(),
            failure: Failure {
                error: error.unwrap_or_default().to_owned(),
                status: line.api_error_status.count(),
                text: cut::head(&text, SHOWN).to_owned(),
            },
        });
    }

    fn system(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        match line.subtype.text() {
            "init" => self.told.began(line.session_id.text(), line.model.text(), out),
            "api_retry" => {
                let failure = Failure {
                    error: line.error.text().to_owned(),
                    status: line.error_status.count(),
                    text: String::new(),
                };
                let nth = (line.attempt.small(), line.max_retries.small());
                self.told.retries(failure, nth, Some(line.retry_delay_ms.count()), out);
            }
            "informational" | "model_fallback" | "notification" => {
                let said =
                    [line.content.text(), line.text.text()].into_iter().find(|t| !t.is_empty());
                self.told.note(said.unwrap_or_default(), out);
            }
            _ => {}
        }
    }

    fn rate_limit(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        let Some(info) = line.rate_limit_info.object() else {
            return;
        };
        let resets_at = reset::at_second(info.resets_at.count());
        self.facts.is_rejected = info.status.text() == "rejected";
        self.facts.resets_at = resets_at.filter(|_| self.facts.is_rejected);
        out.push(AgentEvent::RateLimit {
            status: stream_state::name(info.status.text()).to_owned(),
            resets_at,
            utilization: info.utilization.number(),
        });
    }

    fn usage(&self, tokens: &Tokens<'_>, cost: MicroUsd) -> Usage {
        let (read, written) = (tokens.cache_read.count(), tokens.cache_write.count());
        let cached =
            if self.facts.dialect.input_has_cached { read.saturating_add(written) } else { 0 };
        Usage {
            input: tokens.input.count().saturating_sub(cached),
            output: tokens.output.count(),
            cache_read: read,
            cache_write: written,
            cost,
            is_estimate: false,
        }
    }
}

/// The context window of the model that worked; helpers may have had others.
fn window(used: &str, model: &str) -> Option<u64> {
    let models: serde_json::Map<String, serde_json::Value> = serde_json::from_str(used).ok()?;
    let of = |usage: &serde_json::Value| usage["contextWindow"].as_u64().filter(|size| *size > 0);
    models.get(model).and_then(of).or_else(|| models.values().filter_map(of).max())
}
