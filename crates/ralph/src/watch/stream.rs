//! What an agent did in one iteration, as items to show: words, tool calls and troubles. Bounded: the oldest give way.

use std::collections::VecDeque;

use ralph_agents::{
    event::AgentEvent,
    live_event::{Chatter, Said},
};
use ralph_core::time::{Millis, Timestamp};

/// So many items are kept.
pub(super) const KEPT: usize = 2_000;
/// So far back a result looks for its call.
const REACH: usize = 200;
/// Most bytes of a text that are kept.
const TEXT: usize = 64 << 10;

/// One thing to show.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    Text(String),
    Thinking {
        lines: usize,
    },
    Tool(Tool),
    /// Something that went wrong or deserves attention.
    Trouble(String),
    /// A plain remark.
    Remark(String),
}

/// One tool call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tool {
    id: String,
    pub(super) name: String,
    pub(super) input: String,
    pub(super) began: Timestamp,
    pub(super) end: Option<ToolEnd>,
    pub(super) is_open: bool,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ToolEnd {
    pub(super) took: Millis,
    pub(super) is_error: bool,
    pub(super) lines: u64,
    pub(super) output: String,
}

/// What one iteration's agent did.
#[derive(Debug, Clone, Default)]
pub(super) struct Stream {
    pub(super) items: VecDeque<Item>,
    /// Whether older items were left out.
    pub(super) is_cut: bool,
    /// Files that its tools named, by its own word.
    pub(super) files: Vec<String>,
}

impl Stream {
    /// Takes the next piece.
    pub(super) fn take(&mut self, chatter: &Chatter) {
        match &chatter.said {
            Said::Agent(event) => self.event(chatter.at, event),
            Said::Slow { what, after } => {
                self.push(Item::Trouble(format!("{what} is slow: {after} so far")));
            }
            Said::Noted { text } => self.push(Item::Trouble(text.clone())),
            Said::GateStarted { .. }
            | Said::GateRunsAgain { .. }
            | Said::GateFinished { .. }
            | Said::Dropped { .. } => {}
        }
    }

    /// The call that began last and still runs.
    pub(super) fn running(&self) -> Option<&Tool> {
        self.items.iter().rev().take(REACH).find_map(|item| match item {
            Item::Tool(tool) if tool.end.is_none() => Some(tool),
            _ => None,
        })
    }

    /// Shows what all calls gave, or folds it away again.
    pub(super) fn unfold(&mut self) {
        let is_folded = |item: &Item| matches!(item, Item::Tool(tool) if !tool.is_open);
        let open = self.items.iter().any(is_folded);
        for item in &mut self.items {
            if let Item::Tool(tool) = item {
                let is_error = tool.end.as_ref().is_some_and(|end| end.is_error);
                tool.is_open = open || is_error;
            }
        }
    }

    fn event(&mut self, at: Timestamp, event: &AgentEvent) {
        match event {
            AgentEvent::Text { text } => self.push(Item::Text(cut(text))),
            AgentEvent::Thinking { text } => {
                let lines = text.lines().count().max(1);
                match self.items.back_mut() {
                    Some(Item::Thinking { lines: before }) => *before += lines,
                    _ => self.push(Item::Thinking { lines }),
                }
            }
            AgentEvent::ToolStart { id, name, input } => self.push(Item::Tool(Tool {
                id: id.clone(),
                name: name.clone(),
                input: cut(input),
                began: at,
                end: None,
                is_open: false,
            })),
            AgentEvent::ToolEnd { id, output, lines, is_error, .. } => {
                self.end(at, id, (output, *lines, *is_error));
            }
            AgentEvent::Denied { tool, why } => {
                let why = if why.is_empty() { String::new() } else { format!(": {why}") };
                self.push(Item::Trouble(format!("not allowed: {tool}{why}")));
            }
            AgentEvent::Retry { attempt, error, .. } => {
                self.push(Item::Trouble(format!(
                    "the agent repeats a request ({attempt}): {error}"
                )));
            }
            AgentEvent::RateLimit { status, .. } if status != "allowed" => {
                self.push(Item::Trouble(format!("rate limit: {}", status.replace('_', " "))));
            }
            AgentEvent::Todo { items } => {
                let done = items.iter().filter(|item| item.status == "completed").count();
                self.push(Item::Remark(format!("list: {done} of {} done", items.len())));
            }
            AgentEvent::Session { .. }
            | AgentEvent::Progress { .. }
            | AgentEvent::RateLimit { .. }
            | AgentEvent::Spent { .. }
            | AgentEvent::Result { .. } => {}
        }
    }

    fn end(&mut self, at: Timestamp, id: &str, (output, lines, is_error): (&str, u64, bool)) {
        let tools = self.items.iter_mut().rev().take(REACH).filter_map(|item| match item {
            Item::Tool(tool) => Some(tool),
            _ => None,
        });
        let found = tools.into_iter().find(|tool| tool.id == id && tool.end.is_none());
        let Some(tool) = found else { return };
        tool.end =
            Some(ToolEnd { took: at.since(tool.began), is_error, lines, output: cut(output) });
        tool.is_open = is_error;
        if !is_error && writes(&tool.name) {
            let file = tool.input.clone();
            if !self.files.contains(&file) && self.files.len() < 500 {
                self.files.push(file);
            }
        }
    }

    fn push(&mut self, item: Item) {
        self.items.push_back(item);
        if self.items.len() > KEPT {
            self.items.pop_front();
            self.is_cut = true;
        }
    }
}

/// Whether a tool of this name changes the file that its input names.
fn writes(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["edit", "write", "patch", "create"].iter().any(|part| name.contains(part))
}

fn cut(text: &str) -> String {
    ralph_text::cut::head(text, TEXT).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(at: i64, event: AgentEvent) -> Chatter {
        Chatter { at: Timestamp(at), iteration: 1, said: Said::Agent(event) }
    }

    #[test]
    fn a_result_finds_its_call_and_the_oldest_items_give_way() {
        let mut stream = Stream::default();
        let start = |id: &str| AgentEvent::ToolStart {
            id: id.into(),
            name: "Edit".into(),
            input: "src/a.rs".into(),
        };
        stream.take(&said(1_000, start("a")));
        stream.take(&said(2_000, start("b")));
        assert_eq!(stream.running().map(|tool| tool.began), Some(Timestamp(2_000)));
        let end = |id: &str, is_error| AgentEvent::ToolEnd {
            id: id.into(),
            output: "out".into(),
            lines: 1,
            chars: 3,
            is_error,
        };
        stream.take(&said(4_000, end("a", false)));
        stream.take(&said(4_500, end("b", true)));
        assert!(stream.running().is_none());
        assert_eq!(stream.files, ["src/a.rs"]);
        let Some(Item::Tool(tool)) = stream.items.back() else { panic!("{stream:?}") };
        assert!(tool.is_open, "an error shows its output");
        for nth in 0..5_000 {
            stream.take(&said(nth, AgentEvent::Text { text: "x".into() }));
        }
        assert_eq!((stream.items.len(), stream.is_cut), (KEPT, true));
    }
}
