//! What the agent does, as it happens: tool calls with their results, its words, its list.

use std::collections::BTreeMap;

use ralph_core::{
    agents::event::{AgentEvent, TodoItem},
    time::{Millis, Timestamp},
};

use super::options::Options;
use crate::{
    reporters::{
        block::{Block, Entry},
        clock,
        line::{Line, Sign, Tone},
        plain,
        screen::Screen,
    },
    words,
};

/// Most characters of a tool call's input on its line.
const INPUT: usize = 200;

/// A tool call that has not ended.
#[derive(Debug, Clone)]
pub(crate) struct Open {
    pub(crate) at: Timestamp,
    pub(crate) name: String,
    pub(crate) input: String,
}

/// The agent's stream, with results found for their calls.
#[derive(Debug, Default)]
pub(crate) struct AgentView {
    open: BTreeMap<String, Open>,
    todo: Vec<TodoItem>,
    /// Inside a handoff, which is for ralph and shown as what becomes of it.
    in_handoff: bool,
}

impl AgentView {
    /// Forgets the last call's tools.
    pub(crate) fn begin(&mut self) {
        self.open.clear();
        self.todo.clear();
        self.in_handoff = false;
    }

    /// The tool call that began last and still runs.
    pub(crate) fn running(&self) -> Option<&Open> {
        self.open.values().max_by_key(|open| open.at)
    }

    /// Folds one event and says what to show.
    pub(crate) fn event(
        &mut self,
        at: Timestamp,
        event: &AgentEvent,
        (options, screen): (&Options, &Screen),
    ) -> Block {
        match event {
            AgentEvent::Session { id, model } if options.verbose => {
                note(format!("session {id}, model {model}"))
            }
            AgentEvent::ToolStart { id, name, input } => {
                let open = Open { at, name: name.clone(), input: input.clone() };
                self.open.insert(id.clone(), open);
                Vec::new()
            }
            AgentEvent::ToolEnd { id, .. } => {
                let open = self.open.remove(id);
                tool(open.as_ref(), at, event, options)
            }
            AgentEvent::Text { text } if options.verbose => said(text, Tone::Plain, options),
            AgentEvent::Text { text } => said(&self.without_handoff(text), Tone::Plain, options),
            AgentEvent::Thinking { text } if options.verbose => said(text, Tone::Dim, options),
            AgentEvent::Progress { text } if options.verbose => note(plain::one_line(text)),
            AgentEvent::Todo { items } => self.list(items),
            AgentEvent::Retry { attempt, of, delay_ms, error } => note(format!(
                "the agent repeats a request ({attempt}/{of}) in {}: {error}",
                Millis(*delay_ms)
            )),
            AgentEvent::RateLimit { status, resets_at, utilization }
                if status != "allowed" || options.verbose =>
            {
                let used = utilization.map(|used| format!(", {:.0} % used", used * 100.0));
                let resets = resets_at
                    .map(|reset| format!(", resets {}", clock::soon(reset, at, &screen.zone)));
                note(format!(
                    "rate limit {status}{}{}",
                    used.unwrap_or_default(),
                    resets.unwrap_or_default()
                ))
            }
            AgentEvent::Session { .. }
            | AgentEvent::Thinking { .. }
            | AgentEvent::Progress { .. }
            | AgentEvent::RateLimit { .. }
            | AgentEvent::Result { .. } => Vec::new(),
        }
    }

    /// What the agent says to people. Some agents say a handoff in one piece, others line by line.
    fn without_handoff(&mut self, text: &str) -> String {
        let mut kept = Vec::new();
        for line in text.lines() {
            let line_says = line.trim();
            if self.in_handoff {
                self.in_handoff = line_says != "```";
            } else if line_says == "```ralph-handoff" {
                self.in_handoff = true;
            } else {
                kept.push(line);
            }
        }
        kept.join("\n")
    }

    fn list(&mut self, items: &[TodoItem]) -> Block {
        if self.todo == items {
            return Vec::new();
        }
        items.clone_into(&mut self.todo);
        let done = items.iter().filter(|item| item.status == "completed").count();
        let mut block =
            vec![Entry::Cut(Line::new().dim(format!("    list {done}/{}", items.len())))];
        block.extend(items.iter().map(|item| {
            let (sign, tone) = match item.status.as_str() {
                "completed" => (Sign::Ok, Tone::Dim),
                "in_progress" => (Sign::Going, Tone::Plain),
                _ => (Sign::Neutral, Tone::Dim),
            };
            Entry::Cut(Line::new().plain("      ").sign(sign).plain(" ").add(tone, &item.text))
        }));
        block
    }
}

fn note(text: String) -> Block {
    vec![Entry::text(4, Tone::Dim, text)]
}

fn said(text: &str, tone: Tone, options: &Options) -> Block {
    let display = &options.display;
    let (lines, hidden) =
        plain::head(text.trim(), display.max_output_lines, display.max_output_chars);
    let mut block: Block = lines
        .into_iter()
        .filter(|line| !line.trim().is_empty())
        .map(|line| Entry::text(4, tone, line))
        .collect();
    if hidden > 0 {
        block.push(more(4, hidden));
    }
    block
}

fn more(indent: usize, hidden: usize) -> Entry {
    Entry::text(indent, Tone::Dim, format!("({} more)", words::count(hidden as u64, "line")))
}

/// One finished tool call: what, how long, how it went; its output where that helps.
fn tool(open: Option<&Open>, at: Timestamp, end: &AgentEvent, options: &Options) -> Block {
    let AgentEvent::ToolEnd { output, lines, chars, is_error, .. } = end else {
        return Vec::new();
    };
    let before = Line::new()
        .plain("    ")
        .add(Tone::Accent, open.map_or("tool", |open| &open.name))
        .plain(" ");
    let took = open.map_or(Millis(0), |open| at.since(open.at));
    let mut after = Line::new();
    if took.0 >= 1000 {
        after = after.dim(format!("{took}  "));
    }
    after = if *is_error { after.add(Tone::Bad, "error") } else { after.add(Tone::Good, "ok") };
    if *lines > 0 {
        let size = format!("  {}, {} chars", words::count(*lines, "line"), words::short(*chars));
        after = after.dim(size);
    }
    let input = open.map_or("", |open| &open.input);
    let mut block =
        vec![Entry::Titled { before, title: plain::cut(&plain::one_line(input), INPUT), after }];
    if *is_error || options.verbose {
        let display = &options.display;
        let (lines, hidden) =
            plain::head(output, display.max_output_lines, display.max_output_chars);
        block.extend(
            lines
                .iter()
                .filter(|line| !line.is_empty())
                .map(|line| Entry::Cut(Line::new().dim("      │ ").dim(line))),
        );
        if hidden > 0 {
            block.push(more(6, hidden));
        }
    }
    block
}
