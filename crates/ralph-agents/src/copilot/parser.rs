//! Turns Copilot CLI's stream into events and facts, one line at a time. Keeps only bounded text.

use ralph_core::usage::Usage;
use ralph_text::cut;

use super::{
    ending::{Facts, ending},
    line::{Data, Line},
};
use crate::{
    event::{AgentEvent, SHOWN},
    exit::ExitFacts,
    failure::Failure,
    port::{LineParser, StreamReport},
    stream_state::{self, StreamState},
    watch::AUTHENTICATION_FAILED,
};

/// One call's stream.
#[derive(Default)]
pub(super) struct CopilotParser {
    told: StreamState,
    facts: Facts,
    turns: u32,
}

impl LineParser for CopilotParser {
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
        let ending = ending(&self.told, &self.facts, exit);
        if let Some(failure) = self.facts.error {
            self.told.failure = Some(failure);
        }
        self.told.report(ending)
    }
}

impl CopilotParser {
    fn parsed(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        self.told.understood += 1;
        let nothing = Data::default();
        let data = line.data.object().unwrap_or(&nothing);
        match line.kind.text() {
            "session.tools_updated" => self.model(data, out),
            "session.error" => self.session_error(data, out),
            "session.info" | "session.warning" => self.told.note(data.message.text(), out),
            "assistant.turn_start" => self.turns = self.turns.saturating_add(1),
            // The model answers, whatever failed before.
            "assistant.message_start" => self.told.failure = None,
            "assistant.message" => self.message(data, out),
            "assistant.reasoning" => self.told.think(data.content.text(), out),
            "assistant.turn_retry" => self.turn_retry(data, out),
            "model.call_failure" => self.call_failure(data, out),
            "tool.execution_start" => {
                let input = data.arguments.map_or("", |input| input.get());
                self.told.tool_start(data.tool_call_id.text(), data.tool_name.text(), input, out);
            }
            "tool.execution_complete" => self.tool_complete(data, out),
            "result" => self.result(line, out),
            kind if is_known(kind) => {}
            _ => self.told.understood -= 1,
        }
    }

    fn model(&mut self, data: &Data<'_>, out: &mut Vec<AgentEvent>) {
        let model = data.model.text();
        if !model.is_empty() && model != self.told.model {
            self.told.began("", model, out);
        }
    }

    /// Words of the agent; those of a subagent are progress, never its last words.
    fn message(&mut self, data: &Data<'_>, out: &mut Vec<AgentEvent>) {
        self.told.think(data.reasoning_text.text(), out);
        let text = data.content.text();
        if !data.parent_tool_call_id.text().is_empty() {
            self.told.note(text, out);
        } else if !text.is_empty() {
            self.told.say(text, out);
        }
    }

    /// A request that failed. It is told before the wait, so that nobody waits for a login that is refused.
    fn call_failure(&mut self, data: &Data<'_>, out: &mut Vec<AgentEvent>) {
        let failure = Failure {
            status: data.status_code.count(),
            ..Failure::said(data.error_message.text())
        };
        let attempt = data.retry_attempt.small().saturating_add(1);
        self.told.retries(failure, (attempt, 0), None, out);
    }

    /// Another attempt begins; what failed was told already, unless the line of the failure is missing.
    fn turn_retry(&mut self, data: &Data<'_>, out: &mut Vec<AgentEvent>) {
        if self.told.failure.is_some() {
            return;
        }
        let reason = data.reason.text();
        let error = if reason.contains("auth") { AUTHENTICATION_FAILED } else { reason };
        let failure = Failure { error: error.to_owned(), ..Failure::default() };
        self.told.retries(failure, (0, 0), None, out);
    }

    fn session_error(&mut self, data: &Data<'_>, out: &mut Vec<AgentEvent>) {
        self.told.note(data.message.text(), out);
        self.facts.error = Some(Failure {
            error: data.error_type.text().to_owned(),
            status: data.status_code.count(),
            ..Failure::said(data.message.text())
        });
    }

    /// A command that fails still counts as a success of the tool: its exit code tells.
    fn tool_complete(&mut self, data: &Data<'_>, out: &mut Vec<AgentEvent>) {
        let problem = data.error.object();
        let said = problem.map_or(data.error.text(), |problem| problem.message.text());
        let content = data.result.object().map_or(data.result.text(), |r| r.content.text());
        let output = [content, said].into_iter().find(|text| !text.is_empty());
        let code = data.shell_execution.object().and_then(|shell| shell.exit_code.number());
        let is_error = code.is_some_and(|code| code != 0.0) || data.success.truth() == Some(false);
        let id = data.tool_call_id.text();
        self.told.tool_end(id, output.unwrap_or_default(), is_error, out);
        if problem.is_some_and(|problem| matches!(problem.code.text(), "denied" | "rejected")) {
            let tool = [data.tool_name.text(), id].into_iter().find(|name| !name.is_empty());
            self.told.denied(tool.unwrap_or_default(), said, out);
        }
    }

    fn result(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        self.told.session_is(line.session_id.text());
        let code = line.exit_code.number();
        self.facts.succeeded = Some(code == Some(0.0));
        let error = self.facts.error.as_ref();
        let text = error.map_or(&self.told.last_message, |error| &error.text);
        out.push(AgentEvent::Result {
            is_error: code != Some(0.0) || error.is_some(),
            text: cut::ellipsis(text, SHOWN),
            usage: Usage::default(),
            turns: self.turns,
        });
    }
}

/// Whether a line is of a kind that tells nothing new.
fn is_known(kind: &str) -> bool {
    ["session.", "assistant.", "model.", "tool.", "user."].iter().any(|lead| kind.starts_with(lead))
}
