//! Turns Claude Code's stream into events and facts, one line at a time. Keeps only bounded text.

use super::{
    ending::{Facts, Failure, ResultFacts},
    line::{Block, Line, Message},
    loose::Loose,
    tool_input,
};
use crate::{
    agents::{
        event::AgentEvent,
        exit::ExitFacts,
        port::{LineParser, StreamReport},
    },
    cut,
    memory::handoff::Handoff,
    time::Timestamp,
    usage::{MicroUsd, Usage},
};

/// Most bytes of the last message that are kept.
const KEEP: usize = 256 * 1024;
/// Most bytes of a text or a tool's output that are shown.
const SHOWN: usize = 4 * 1024;
/// The model's name on text that the CLI made itself.
const SYNTHETIC: &str = "<synthetic>";
/// One call's stream.
#[derive(Default)]
pub(super) struct ClaudeParser {
    facts: Facts,
    last_message: String,
    structured: Option<Handoff>,
    usage: Usage,
    session: Option<String>,
    tools: u32,
    tool_errors: u32,
}

impl LineParser for ClaudeParser {
    fn line(&mut self, line: &[u8], out: &mut Vec<AgentEvent>) {
        if line.trim_ascii().is_empty() {
            return;
        }
        if let Some(parsed) = Line::read(line) {
            return self.parsed(&parsed, out);
        }
        // Bytes that are no UTF-8 must not cost the whole line.
        match String::from_utf8_lossy(line) {
            std::borrow::Cow::Owned(mended) => match Line::read(mended.as_bytes()) {
                Some(parsed) => self.parsed(&parsed, out),
                None => self.facts.unreadable += 1,
            },
            std::borrow::Cow::Borrowed(_) => self.facts.unreadable += 1,
        }
    }

    fn finish(self: Box<Self>, exit: &ExitFacts) -> StreamReport {
        StreamReport {
            ending: self.facts.ending(exit),
            reset_hint: self.facts.reset_hint(),
            handoff: self.structured.or_else(|| Handoff::from_text(&self.last_message)),
            last_message: self.last_message,
            is_plain: false,
            usage: self.usage,
            session: self.session,
            tools: self.tools,
            tool_errors: self.tool_errors,
            unreadable: self.facts.unreadable,
        }
    }
}

impl ClaudeParser {
    fn parsed(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        self.facts.understood += 1;
        match line.kind.text() {
            "assistant" => self.assistant(line, out),
            "user" => self.user(line, out),
            "result" => self.result(line, out),
            "system" => self.system(line, out),
            "rate_limit_event" => self.rate_limit(line, out),
            "stream_event" => {}
            _ => self.facts.understood -= 1,
        }
    }

    fn assistant(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        let Some(message) = line.message.object() else {
            return;
        };
        if message.model.text() == SYNTHETIC || !line.error.text().is_empty() {
            return self.synthetic(line, message, out);
        }
        self.facts.failure = None;
        let is_own = line.parent_tool_use_id.text().is_empty();
        if let Loose::Text(text) = &message.content {
            self.say(text, is_own, out);
        }
        for block in message.content.list().iter().filter_map(Loose::object) {
            match block.kind.text() {
                "text" => self.say(block.text.text(), is_own, out),
                "thinking" if !block.thinking.text().is_empty() => {
                    out.push(AgentEvent::Thinking {
                        text: cut::ellipsis(block.thinking.text(), SHOWN),
                    });
                }
                "tool_use" => self.tool_use(block, out),
                _ => {}
            }
        }
    }

    /// Text of the agent; that of a subagent is progress, never its last words.
    fn say(&mut self, text: &str, is_own: bool, out: &mut Vec<AgentEvent>) {
        let shown = cut::ellipsis(text, SHOWN);
        if is_own {
            self.keep(text);
            out.push(AgentEvent::Text { text: shown });
        } else {
            out.push(AgentEvent::Progress { text: shown });
        }
    }

    fn keep(&mut self, message: &str) {
        self.last_message.clear();
        self.last_message.push_str(cut::tail(message, KEEP));
    }

    /// Text that the CLI made: an error message.
    fn synthetic(&mut self, line: &Line<'_>, message: &Message<'_>, out: &mut Vec<AgentEvent>) {
        let text: String = match &message.content {
            Loose::Text(text) => text.to_string(),
            blocks => texts(blocks.list().iter().filter_map(Loose::object).map(|b| b.text.text())),
        };
        self.facts.failure = Some(Failure {
            error: line.error.text().to_owned(),
            status: line.api_error_status.count(),
            text: cut::head(&text, SHOWN).to_owned(),
        });
        out.push(AgentEvent::Progress { text: cut::ellipsis(&text, SHOWN) });
    }

    fn tool_use(&mut self, block: &Block<'_>, out: &mut Vec<AgentEvent>) {
        self.tools = self.tools.saturating_add(1);
        let input = block.input.map_or("", |input| input.get());
        out.push(AgentEvent::ToolStart {
            id: block.id.text().to_owned(),
            name: block.name.text().to_owned(),
            input: tool_input::summary(input),
        });
        if block.name.text() == "TodoWrite" {
            out.extend(tool_input::todo(input));
        }
    }

    fn user(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        let Some(message) = line.message.object() else {
            return;
        };
        for block in message.content.list().iter().filter_map(Loose::object) {
            if block.kind.text() == "tool_result" {
                self.tool_result(block, out);
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
        self.tool_errors = self.tool_errors.saturating_add(u32::from(is_error));
        out.push(AgentEvent::ToolEnd {
            id: block.tool_use_id.text().to_owned(),
            output: cut::ellipsis(output, SHOWN),
            lines: output.lines().count() as u64,
            chars: output.chars().count() as u64,
            is_error,
        });
    }

    fn result(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        let subtype = line.subtype.text();
        let is_error = match line.is_error.truth() {
            Some(is_error) => is_error,
            // A line that says neither how it went nor what it is ends nothing.
            None if subtype.is_empty() => return,
            None => subtype != "success",
        };
        let text = match &line.result {
            Loose::Text(text) => text.to_string(),
            _ => texts(line.errors.list().iter().map(Loose::text)),
        };
        if !is_error && !text.is_empty() {
            self.keep(&text);
        }
        self.structured = line.structured_output.and_then(|raw| Handoff::from_json(raw.get()));
        self.usage = usage(line);
        self.session_is(line.session_id.text());
        out.push(AgentEvent::Result {
            is_error,
            text: cut::ellipsis(&text, SHOWN),
            usage: self.usage,
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
            "init" => {
                self.session_is(line.session_id.text());
                out.push(AgentEvent::Session {
                    id: line.session_id.text().to_owned(),
                    model: line.model.text().to_owned(),
                });
            }
            "api_retry" => out.push(AgentEvent::Retry {
                attempt: line.attempt.small(),
                of: line.max_retries.small(),
                delay_ms: line.retry_delay_ms.count(),
                error: line.error.text().to_owned(),
            }),
            "informational" | "model_fallback" | "notification" => {
                let said =
                    [line.content.text(), line.text.text()].into_iter().find(|t| !t.is_empty());
                out.extend(said.map(|t| AgentEvent::Progress { text: cut::ellipsis(t, SHOWN) }));
            }
            _ => {}
        }
    }

    fn session_is(&mut self, id: &str) {
        if !id.is_empty() {
            self.session = Some(id.to_owned());
        }
    }

    fn rate_limit(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        let Some(info) = line.rate_limit_info.object() else {
            return;
        };
        let seconds = info.resets_at.count();
        let resets_at = i64::try_from(seconds)
            .ok()
            .filter(|seconds| *seconds > 0)
            .map(|seconds| Timestamp(seconds.saturating_mul(1000)));
        self.facts.is_rejected = info.status.text() == "rejected";
        self.facts.resets_at = resets_at.filter(|_| self.facts.is_rejected);
        out.push(AgentEvent::RateLimit {
            status: info.status.text().to_owned(),
            resets_at,
            utilization: info.utilization.number(),
        });
    }
}

fn usage(line: &Line<'_>) -> Usage {
    let cost = MicroUsd::from_dollars(line.total_cost_usd.number().unwrap_or(0.0));
    line.usage.object().map_or(Usage { cost, ..Usage::default() }, |tokens| Usage {
        input: tokens.input.count(),
        output: tokens.output.count(),
        cache_read: tokens.cache_read.count(),
        cache_write: tokens.cache_write.count(),
        cost,
    })
}

fn texts<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}
