//! Turns Gemini CLI's streams into events and facts, one line at a time. Keeps only bounded text.

use ralph_core::usage::{MicroUsd, Usage};
use ralph_text::cut;

use super::{
    ending::{End, ending},
    line::{Line, Stats},
    retry::{self, Heard, Notice},
};
use crate::{
    event::{AgentEvent, SHOWN},
    exit::ExitFacts,
    failure::Failure,
    port::{LineParser, StreamReport},
    stream_state::{self, StreamState},
};

/// Why a tool call was refused, as its result says it.
const DENIED: &str = "policy_violation";

/// One call's stream.
#[derive(Default)]
pub(super) struct GeminiParser {
    told: StreamState,
    end: Option<End>,
    /// The last message may still go on; its text is told when it is whole.
    is_speaking: bool,
    notice: Option<Notice>,
    /// The model's answer to one request is under way.
    is_answering: bool,
    turns: u32,
}

impl LineParser for GeminiParser {
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
        let line = String::from_utf8_lossy(line);
        match retry::hear(&mut self.notice, cut::head(&line, SHOWN)) {
            Heard::Nothing => {}
            Heard::Failed { why } => self.told.failure = Some(Failure::said(&why)),
            Heard::Retries(retry) => {
                let failure = Failure::said(&retry.why);
                self.told.retries(failure, (retry.attempt, 0), retry.delay_ms, out);
            }
        }
    }

    fn finish(mut self: Box<Self>, exit: &ExitFacts) -> StreamReport {
        let ending = ending(&self.told, self.end.as_ref(), exit);
        match self.end {
            Some(End::Failed { failure, .. }) => self.told.failure = Some(failure),
            Some(End::Succeeded) => self.told.failure = None,
            None => {}
        }
        self.told.report(ending)
    }
}

impl GeminiParser {
    fn parsed(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        self.told.understood += 1;
        let kind = line.kind.text();
        if kind != "message" {
            self.spoke(out);
        }
        match kind {
            "init" => self.told.began(line.session_id.text(), line.model.text(), out),
            "message" => self.message(line, out),
            "tool_use" => {
                self.answers();
                let input = line.parameters.map_or("", |input| input.get());
                self.told.tool_start(line.tool_id.text(), line.tool_name.text(), input, out);
            }
            "tool_result" => self.tool_result(line, out),
            "error" => self.told.note(line.message.text(), out),
            "result" => self.result(line, out),
            _ => self.told.understood -= 1,
        }
    }

    /// One piece of a message; the prompt comes back as one of the user's and is nobody's words.
    fn message(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        if line.role.text() != "assistant" {
            return;
        }
        if line.delta.truth() != Some(true) || !self.is_speaking {
            self.spoke(out);
            self.told.keep("");
        }
        self.answers();
        self.told.failure = None;
        self.told.keep_piece(line.content.text());
        self.is_speaking = true;
    }

    /// Words and tool calls up to a tool's result are one answer.
    fn answers(&mut self) {
        if !std::mem::replace(&mut self.is_answering, true) {
            self.turns = self.turns.saturating_add(1);
        }
    }

    /// The message under way is over.
    fn spoke(&mut self, out: &mut Vec<AgentEvent>) {
        if std::mem::take(&mut self.is_speaking) {
            out.push(AgentEvent::Text { text: cut::ellipsis(&self.told.last_message, SHOWN) });
        }
    }

    /// A command that fails is told as a success without its exit code: only what is told as an error is one.
    fn tool_result(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        self.is_answering = false;
        let problem = line.error.object();
        let said = problem.map_or("", |problem| problem.message.text());
        let output = [line.output.text(), said].into_iter().find(|text| !text.is_empty());
        let is_error = line.status.text() == "error";
        self.told.tool_end(line.tool_id.text(), output.unwrap_or_default(), is_error, out);
        if problem.is_some_and(|problem| problem.kind.text() == DENIED) {
            let tool = line.tool_id.text().split("__").next();
            self.told.denied(tool.unwrap_or_default(), said, out);
        }
    }

    fn result(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        let is_error = line.status.text() != "success";
        let problem = line.error.object();
        let said = problem.map_or(line.error.text(), |problem| problem.message.text());
        self.told.usage = line.stats.object().map(usage).unwrap_or_default();
        let text = if is_error { said } else { &self.told.last_message };
        out.push(AgentEvent::Result {
            is_error,
            text: cut::ellipsis(text, SHOWN),
            usage: self.told.usage,
            turns: self.turns,
        });
        self.end = Some(if is_error {
            let kind = problem.map_or("", |problem| problem.kind.text()).to_owned();
            End::Failed { kind, failure: Failure::said(said) }
        } else {
            End::Succeeded
        });
    }
}

fn usage(stats: &Stats<'_>) -> Usage {
    let (sent, cached) = (stats.input_tokens.count(), stats.cached.count());
    Usage {
        input: sent.saturating_sub(cached),
        // Thoughts are paid for like words, and only the total has them.
        output: stats.output_tokens.count().max(stats.total_tokens.count().saturating_sub(sent)),
        cache_read: cached,
        cache_write: 0,
        cost: MicroUsd(0),
        is_estimate: false,
    }
}
