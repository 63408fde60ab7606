//! Turns Codex's stream into events and facts, one line at a time. Keeps only bounded text.

use std::collections::BTreeSet;

use ralph_core::{
    handoff::Handoff,
    usage::{MicroUsd, Usage},
    vocabulary::Kind,
};
use ralph_text::cut;

use super::{
    ending::{End, ending},
    line::{Item, Line, Tokens},
};
use crate::{
    event::{AgentEvent, SHOWN, TodoItem},
    exit::ExitFacts,
    failure::Failure,
    loose::Loose,
    port::{LineParser, StreamReport},
    schema,
    stream_state::{self, StreamState, texts},
};

/// Most open tool calls that are told apart; beyond it the oldest id is forgotten.
const MAX_OPEN: usize = 1024;
/// How a notice begins that a request is tried again: `Reconnecting... 1/2 (why)`.
const RETRY: &str = "Reconnecting...";

/// One call's stream.
pub(super) struct CodexParser {
    told: StreamState,
    end: Option<End>,
    /// The last message was asked to be JSON of a given form.
    has_schema: bool,
    /// Tool calls under way whose beginning was told.
    open: BTreeSet<String>,
}

impl LineParser for CodexParser {
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
        let ending = ending(&self.told, self.end.as_ref(), exit);
        if let Some(End::Failed(failure)) = self.end {
            self.told.failure.get_or_insert(failure);
        }
        if self.has_schema {
            let answer = serde_json::from_str(self.told.last_message.trim()).ok();
            self.told.structured = answer
                .and_then(|json| Handoff::from_json(&schema::without_nulls(json).to_string()));
        }
        self.told.report(ending)
    }
}

impl CodexParser {
    pub(super) fn new(kind: Kind) -> Self {
        let has_schema = !schema::of(kind).is_empty();
        Self { told: StreamState::default(), end: None, has_schema, open: BTreeSet::new() }
    }

    fn parsed(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        self.told.understood += 1;
        match (line.kind.text(), line.item.object()) {
            ("thread.started", _) => self.told.began(line.thread_id.text(), "", out),
            ("turn.started", _) => {}
            ("item.started", Some(item)) => self.item_started(item, out),
            ("item.updated", Some(item)) => plan(item, out),
            ("item.completed", Some(item)) => self.item_completed(item, out),
            ("turn.completed", _) => self.turn_completed(line, out),
            ("turn.failed", _) => {
                let text = line.error.object().map_or(line.error.text(), |e| e.message.text());
                self.turn_failed(text, out);
            }
            ("error", _) => self.error(line.message.text(), out),
            _ => self.told.understood -= 1,
        }
    }

    fn item_started(&mut self, item: &Item<'_>, out: &mut Vec<AgentEvent>) {
        plan(item, out);
        if let Some((name, input)) = tool(item) {
            if self.open.len() >= MAX_OPEN {
                self.open.pop_first();
            }
            self.open.insert(stream_state::name(item.id.text()).to_owned());
            self.told.tool_start(item.id.text(), &name, &input, out);
        }
    }

    fn item_completed(&mut self, item: &Item<'_>, out: &mut Vec<AgentEvent>) {
        match item.kind.text() {
            "agent_message" => self.told.say(item.text.text(), out),
            "reasoning" => self.told.think(item.text.text(), out),
            // Only a remark: what ends the turn is told by lines of their own.
            "error" => self.told.note(item.message.text(), out),
            _ => self.tool_completed(item, out),
        }
    }

    fn tool_completed(&mut self, item: &Item<'_>, out: &mut Vec<AgentEvent>) {
        plan(item, out);
        let Some((name, input)) = tool(item) else {
            return;
        };
        let id = item.id.text();
        if !self.open.remove(stream_state::name(id)) {
            self.told.tool_start(id, &name, &input, out);
        }
        let said = item.error.object().map_or(item.error.text(), |error| error.message.text());
        let output =
            [item.aggregated_output.text(), said].into_iter().find(|text| !text.is_empty());
        let status = item.status.text();
        let is_error = matches!(status, "failed" | "declined")
            || item.exit_code.number().is_some_and(|code| code != 0.0);
        self.told.tool_end(id, output.unwrap_or_default(), is_error, out);
        if status == "declined" {
            self.told.denied(&name, &input, out);
        }
    }

    fn turn_completed(&mut self, line: &Line<'_>, out: &mut Vec<AgentEvent>) {
        self.told.failure = None;
        self.told.usage = line.usage.object().map(usage).unwrap_or_default();
        self.end = Some(End::Completed);
        out.push(AgentEvent::Result {
            is_error: false,
            text: cut::ellipsis(&self.told.last_message, SHOWN),
            usage: self.told.usage,
            turns: 0,
        });
    }

    fn turn_failed(&mut self, text: &str, out: &mut Vec<AgentEvent>) {
        self.end = Some(End::Failed(Failure::said(text)));
        out.push(AgentEvent::Result {
            is_error: true,
            text: cut::ellipsis(text, SHOWN),
            usage: self.told.usage,
            turns: 0,
        });
    }

    /// A notice of a retry, or what the turn fails of.
    fn error(&mut self, message: &str, out: &mut Vec<AgentEvent>) {
        if let Some(notice) = message.strip_prefix(RETRY) {
            let (nth, why) = retry(notice);
            self.told.retries(Failure::said(why), nth, None, out);
        } else {
            self.told.failure = Some(Failure::said(message));
            self.told.note(message, out);
        }
    }
}

/// `1/2 (why)`: which retry of how many, and what made it necessary.
fn retry(notice: &str) -> ((u32, u32), &str) {
    let notice = notice.trim();
    let (count, why) = notice.split_once('(').unwrap_or((notice, notice));
    let (nth, of) = count.trim().split_once('/').unwrap_or_default();
    let number = |text: &str| text.trim().parse().unwrap_or(0);
    ((number(nth), number(of)), why.strip_suffix(')').unwrap_or(why))
}

/// Name and input of the tool call that an item is, if it is one.
fn tool(item: &Item<'_>) -> Option<(String, String)> {
    let (name, input) = match item.kind.text() {
        "command_execution" => ("shell".to_owned(), item.command.text().to_owned()),
        "file_change" => {
            let changes = item.changes.list().iter().filter_map(Loose::object);
            ("edit".to_owned(), texts(changes.map(|change| change.path.text())))
        }
        "mcp_tool_call" => {
            let arguments = item.arguments.map_or("", |arguments| arguments.get());
            (format!("{}.{}", item.server.text(), item.tool.text()), arguments.to_owned())
        }
        "web_search" => ("web_search".to_owned(), item.query.text().to_owned()),
        _ => return None,
    };
    Some((name, input))
}

/// The agent's own list, if that is what an item is.
fn plan(item: &Item<'_>, out: &mut Vec<AgentEvent>) {
    if item.kind.text() != "todo_list" {
        return;
    }
    let steps = item.items.list().iter().filter_map(Loose::object).take(100);
    let items = steps.map(|step| TodoItem {
        text: cut::ellipsis(step.text.text(), SHOWN),
        status: if step.completed.truth() == Some(true) { "completed" } else { "pending" }.into(),
    });
    out.push(AgentEvent::Todo { items: items.collect() });
}

fn usage(tokens: &Tokens<'_>) -> Usage {
    let (read, written) = (tokens.cache_read.count(), tokens.cache_write.count());
    Usage {
        input: tokens.input.count().saturating_sub(read).saturating_sub(written),
        output: tokens.output.count(),
        cache_read: read,
        cache_write: written,
        cost: MicroUsd(0),
        is_estimate: false,
    }
}
