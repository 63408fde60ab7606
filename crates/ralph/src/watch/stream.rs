//! What an agent did in one iteration, or in a part of it, as items to show: words, tool calls and troubles. Bounded: the
//! oldest give way.

use std::collections::VecDeque;

use ralph_agents::{
    event::AgentEvent,
    live_event::{Chatter, Said},
};
use ralph_core::time::{Millis, Timestamp};

/// So many items are kept.
pub(super) const KEPT: usize = 2_000;
/// So many bytes of them, all together.
const BYTES: usize = 4 << 20;
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
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ToolEnd {
    /// Its place in the log.
    pub(super) at: u64,
    pub(super) took: Millis,
    pub(super) is_error: bool,
    pub(super) lines: u64,
    pub(super) output: String,
}

/// What one iteration's agent did.
#[derive(Debug, Clone, Default)]
pub(super) struct Stream {
    /// Each with its place in the log.
    pub(super) items: VecDeque<(u64, Item)>,
    /// Whether older items were left out.
    pub(super) is_cut: bool,
    /// Whether newer items were left out.
    pub(super) is_cut_below: bool,
    bytes: usize,
    /// Files that its tools named, by its own word.
    pub(super) files: Vec<String>,
}

impl Stream {
    /// One before which something may be left out.
    pub(super) fn beginning(is_cut: bool) -> Self {
        Self { is_cut, ..Self::default() }
    }

    /// Takes the next piece.
    pub(super) fn take(&mut self, place: u64, chatter: &Chatter) {
        match &chatter.said {
            Said::Agent(event) => self.event((place, chatter.at), event),
            Said::Slow { what, after } => {
                self.push(place, Item::Trouble(format!("{what} is slow: {after} so far")));
            }
            Said::Noted { text } => self.push(place, Item::Trouble(text.clone())),
            Said::AgentStarted { .. }
            | Said::GateStarted { .. }
            | Said::GateRunsAgain { .. }
            | Said::GateFinished { .. }
            | Said::Dropped { .. } => {}
        }
    }

    /// The call that began last and still runs.
    pub(super) fn running(&self) -> Option<&Tool> {
        self.items.iter().rev().take(REACH).find_map(|(_, item)| match item {
            Item::Tool(tool) if tool.end.is_none() => Some(tool),
            _ => None,
        })
    }

    /// The place of the item that holds what is said at a place: a call's result belongs to the call.
    pub(super) fn item_at(&self, place: u64) -> u64 {
        let holds = |(_, item): &&(u64, Item)| matches!(item, Item::Tool(Tool { end: Some(end), .. }) if end.at == place);
        self.items.iter().find(holds).map_or(place, |(at, _)| *at)
    }

    /// The call at a place.
    pub(super) fn tool(&self, place: u64) -> Option<&Tool> {
        let at = self.items.partition_point(|(at, _)| *at < place);
        match self.items.get(at) {
            Some((at, Item::Tool(tool))) if *at == place => Some(tool),
            _ => None,
        }
    }

    /// Lets the oldest go until so many are left.
    pub(super) fn keep(&mut self, most: usize) {
        while self.items.len() > most || self.bytes > BYTES {
            let Some((_, first)) = self.items.pop_front() else { return };
            self.bytes = self.bytes.saturating_sub(first.size());
            self.is_cut = true;
        }
    }

    fn event(&mut self, (place, at): (u64, Timestamp), event: &AgentEvent) {
        let item = match event {
            AgentEvent::Text { text } => Item::Text(cut(text)),
            AgentEvent::Thinking { text } => {
                let lines = text.lines().count().max(1);
                if let Some((_, Item::Thinking { lines: before })) = self.items.back_mut() {
                    *before += lines;
                    return;
                }
                Item::Thinking { lines }
            }
            AgentEvent::ToolStart { id, name, input } => Item::Tool(Tool {
                id: id.clone(),
                name: name.clone(),
                input: cut(input),
                began: at,
                end: None,
            }),
            AgentEvent::ToolEnd { id, output, lines, is_error, .. } => {
                self.end((place, at), id, (output, *lines, *is_error));
                return;
            }
            AgentEvent::Denied { tool, why } => {
                let why = if why.is_empty() { String::new() } else { format!(": {why}") };
                Item::Trouble(format!("not allowed: {tool}{why}"))
            }
            AgentEvent::Retry { attempt, error, .. } => {
                Item::Trouble(format!("the agent repeats a request ({attempt}): {error}"))
            }
            AgentEvent::RateLimit { status, .. } if status != "allowed" => {
                Item::Trouble(format!("rate limit: {}", status.replace('_', " ")))
            }
            AgentEvent::Todo { items } => {
                let done = items.iter().filter(|item| item.status == "completed").count();
                Item::Remark(format!("list: {done} of {} done", items.len()))
            }
            AgentEvent::Session { .. }
            | AgentEvent::Progress { .. }
            | AgentEvent::RateLimit { .. }
            | AgentEvent::Spent { .. }
            | AgentEvent::Result { .. } => return,
        };
        self.push(place, item);
    }

    fn end(
        &mut self,
        (place, at): (u64, Timestamp),
        id: &str,
        (output, lines, is_error): (&str, u64, bool),
    ) {
        let tools = self.items.iter_mut().rev().take(REACH).filter_map(|(_, item)| match item {
            Item::Tool(tool) => Some(tool),
            _ => None,
        });
        let found = tools.into_iter().find(|tool| tool.id == id && tool.end.is_none());
        let Some(call) = found else { return };
        let (output, took) = (cut(output), at.since(call.began));
        self.bytes += output.len();
        call.end = Some(ToolEnd { at: place, took, is_error, lines, output });
        if !is_error && writes(&call.name) {
            let file = call.input.clone();
            if !self.files.contains(&file) && self.files.len() < 500 {
                self.files.push(file);
            }
        }
        self.keep(KEPT);
    }

    fn push(&mut self, place: u64, item: Item) {
        self.bytes += item.size();
        self.items.push_back((place, item));
        self.keep(KEPT);
    }
}

impl Item {
    fn size(&self) -> usize {
        match self {
            Self::Text(text) | Self::Trouble(text) | Self::Remark(text) => text.len(),
            Self::Thinking { .. } => 0,
            Self::Tool(tool) => {
                tool.input.len() + tool.end.as_ref().map_or(0, |end| end.output.len())
            }
        }
    }
}

/// What is searched of a piece: what an agent said, its calls and what they gave.
pub(super) fn texts(chatter: &Chatter) -> [&str; 2] {
    match &chatter.said {
        Said::Agent(AgentEvent::Text { text }) | Said::Noted { text } => [text, ""],
        Said::Agent(AgentEvent::ToolStart { name, input, .. }) => [name, input],
        Said::Agent(AgentEvent::ToolEnd { output, .. }) => [output, ""],
        Said::Agent(AgentEvent::Denied { tool, why }) => [tool, why],
        _ => ["", ""],
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
        stream.take(10, &said(1_000, start("a")));
        stream.take(20, &said(2_000, start("b")));
        assert_eq!(stream.running().map(|tool| tool.began), Some(Timestamp(2_000)));
        let end = |id: &str, is_error| AgentEvent::ToolEnd {
            id: id.into(),
            output: "out".into(),
            lines: 1,
            chars: 3,
            is_error,
        };
        stream.take(30, &said(4_000, end("a", false)));
        stream.take(40, &said(4_500, end("b", true)));
        assert!(stream.running().is_none());
        assert_eq!(stream.files, ["src/a.rs"]);
        assert_eq!((stream.item_at(40), stream.item_at(41)), (20, 41));
        assert_eq!(stream.tool(20).map(|tool| tool.id.as_str()), Some("b"));
        for nth in 0..5_000 {
            stream.take(50, &said(nth, AgentEvent::Text { text: "x".into() }));
        }
        assert_eq!((stream.items.len(), stream.is_cut), (KEPT, true));
        let long = "y".repeat(TEXT);
        for nth in 0..500 {
            stream.take(60, &said(nth, AgentEvent::Text { text: long.clone() }));
        }
        assert!(stream.items.len() <= BYTES / TEXT, "{}", stream.items.len());
    }
}
