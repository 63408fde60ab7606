//! What the agent does, as it happens: its words, its list, its troubles, and its tool calls.

use ralph_agents::event::{AgentEvent, TodoItem};
use ralph_core::{
    handoff::Handoff,
    time::{Millis, Timestamp},
    usage::Usage,
};

use super::{
    options::Options,
    tool::{self, Ended, Open, Tools},
};
use crate::reporters::{
    block::{Block, Entry},
    clock,
    line::{Line, Sign, Tone},
    plain,
    screen::Screen,
};

/// Most entries of a list that are shown at once.
const LISTED: usize = 20;

/// The agent's stream, with results found for their calls.
#[derive(Debug, Default)]
pub(crate) struct AgentView {
    tools: Tools,
    todo: Vec<TodoItem>,
    /// The handoff being said: it is for ralph, people get its summary.
    handoff: Option<String>,
    /// The summary that was shown last; some agents hand the same thing over twice.
    handed: String,
    /// What this call has used so far.
    spent: Usage,
    /// The agent waits before it asks its provider again.
    retries: Option<(String, Timestamp)>,
}

impl AgentView {
    /// Forgets the last call.
    pub(crate) fn begin(&mut self) {
        *self = Self::default();
    }

    /// The agent has ended: its open tool calls have no result, and the run has counted what it used.
    pub(crate) fn close(&mut self, at: Timestamp) -> Block {
        self.spent = Usage::default();
        self.retries = None;
        self.tools.close(at)
    }

    /// The tool call that began last and still runs, and how many others do.
    pub(crate) fn running(&self) -> Option<(&Open, usize)> {
        self.tools.running()
    }

    /// Lines about calls that run for long, for a screen without a live line.
    pub(crate) fn long(&mut self, now: Timestamp) -> Block {
        self.tools.long(now)
    }

    /// What the call under way has used so far.
    pub(crate) fn spent(&self) -> Usage {
        self.spent
    }

    /// What the agent waits for by itself, and until when.
    pub(crate) fn retries(&self) -> Option<&(String, Timestamp)> {
        self.retries.as_ref()
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
                self.retries = None;
                self.tools.start(at, id, (name, input))
            }
            AgentEvent::ToolEnd { id, output, lines, chars, is_error } => {
                let (lines, chars, is_error) = (*lines, *chars, *is_error);
                if !is_error && !options.verbose && self.tools.hands_over(id) {
                    let summary = self.tools.taken(id).map(|open| open.input).unwrap_or_default();
                    return said(&self.summary(summary), Tone::Plain, options);
                }
                self.tools.end(at, &Ended { id, output, lines, chars, is_error }, options)
            }
            AgentEvent::Text { text } if options.verbose => said(text, Tone::Plain, options),
            AgentEvent::Text { text } => said(&self.without_handoff(text), Tone::Plain, options),
            AgentEvent::Thinking { text } if options.verbose => said(text, Tone::Dim, options),
            AgentEvent::Progress { text } if options.verbose => note(text.clone()),
            AgentEvent::Todo { items } => self.list(items),
            AgentEvent::Retry { attempt, of, delay_ms, error } => {
                self.repeats(at, (*attempt, *of), *delay_ms, error)
            }
            AgentEvent::Denied { tool, why } => {
                let why = if why.is_empty() { String::new() } else { format!(": {why}") };
                trouble(format!("not allowed: {tool}{why}"))
            }
            AgentEvent::RateLimit { status, resets_at, utilization }
                if status != "allowed" || options.verbose =>
            {
                let used = utilization.map(|used| format!(", {:.0} % used", used * 100.0));
                let resets = resets_at
                    .map(|reset| format!(", resets {}", clock::soon(reset, at, &screen.zone)));
                let (used, resets) = (used.unwrap_or_default(), resets.unwrap_or_default());
                trouble(format!("rate limit: {}{used}{resets}", status.replace('_', " ")))
            }
            AgentEvent::Spent { usage } => {
                self.spent = *usage;
                Vec::new()
            }
            AgentEvent::Session { .. }
            | AgentEvent::Thinking { .. }
            | AgentEvent::Progress { .. }
            | AgentEvent::RateLimit { .. }
            | AgentEvent::Result { .. } => Vec::new(),
        }
    }

    /// The agent's own retry; it is shown as waiting until something else happens.
    fn repeats(
        &mut self,
        at: Timestamp,
        (attempt, of): (u32, u32),
        delay_ms: Option<u64>,
        error: &str,
    ) -> Block {
        let nth = if of > 0 { format!("{attempt}/{of}") } else { attempt.to_string() };
        let when = match delay_ms {
            Some(delay) => {
                let until = at.plus(Millis(delay));
                self.retries = Some((format!("repeats a request ({nth})"), until));
                format!(" in {}", Millis(delay))
            }
            None => String::new(),
        };
        let error = if error.contains(' ') { error.to_owned() } else { error.replace('_', " ") };
        trouble(format!("the agent repeats a request ({nth}){when}: {error}"))
    }

    /// What the agent says to people. Some agents say a handoff in one piece, others line by line.
    fn without_handoff(&mut self, text: &str) -> String {
        if let Some(summary) = summary_of(text) {
            return self.summary(summary);
        }
        let mut kept = Vec::new();
        for line in text.lines() {
            let line_says = line.trim();
            match &mut self.handoff {
                Some(handoff) if line_says == "```" => {
                    let summary = summary_of(handoff).unwrap_or_default();
                    self.handoff = None;
                    kept.push(self.summary(summary));
                }
                Some(handoff) => {
                    handoff.push_str(line);
                    handoff.push('\n');
                }
                None if line_says.starts_with("```ralph-handoff") => {
                    self.handoff = Some(String::new());
                }
                None => kept.push(line.to_owned()),
            }
        }
        kept.join("\n")
    }

    /// A summary, unless it was shown just now.
    fn summary(&mut self, summary: String) -> String {
        if self.handed == summary {
            return String::new();
        }
        self.handed.clone_from(&summary);
        summary
    }

    /// The whole list when it is new, later only what changed.
    fn list(&mut self, items: &[TodoItem]) -> Block {
        self.tools.listed(items.first().map_or("", |item| &item.text));
        if self.todo == items {
            return Vec::new();
        }
        let before = std::mem::replace(&mut self.todo, items.to_vec());
        let is_same_list = before.len() == items.len()
            && before.iter().zip(items).all(|(before, item)| before.text == item.text);
        let changed: Vec<&TodoItem> = items
            .iter()
            .zip(before.iter().map(Some).chain(std::iter::repeat(None)))
            .filter(|(item, before)| !is_same_list || before.is_none_or(|b| b != *item))
            .map(|(item, _)| item)
            .collect();
        let done = items.iter().filter(|item| item.status == "completed").count();
        let head = Line::new().dim(format!("    list: {done} of {} done", items.len()));
        let mut block = vec![Entry::Cut(head)];
        block.extend(changed.iter().take(LISTED).map(|item| entry(item)));
        if changed.len() > LISTED {
            let more = format!("and {} more", changed.len() - LISTED);
            block.push(Entry::text(6, Tone::Dim, more));
        }
        block
    }
}

/// The summary in a text that is a handoff and nothing else.
fn summary_of(text: &str) -> Option<String> {
    let text = text.trim();
    let handoff =
        (text.starts_with('{') && text.ends_with('}')).then(|| Handoff::from_json(text))??;
    let summary = handoff.summary();
    (!summary.is_empty()).then(|| summary.to_owned())
}

fn entry(item: &TodoItem) -> Entry {
    let (sign, tone) = match item.status.as_str() {
        "completed" => (Sign::Ok, Tone::Dim),
        "in_progress" => (Sign::Going, Tone::Plain),
        "cancelled" => (Sign::Bad, Tone::Dim),
        _ => (Sign::Neutral, Tone::Dim),
    };
    Entry::Cut(Line::new().plain("      ").sign(sign).plain(" ").add(tone, &item.text))
}

fn note(text: String) -> Block {
    vec![Entry::text(4, Tone::Dim, text)]
}

fn trouble(text: String) -> Block {
    let lead = Line::new().plain("    ").sign(Sign::Warning).plain(" ");
    vec![Entry::Wrapped { lead, indent: 6, tone: Tone::Dim, text }]
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
        block.push(tool::more(4, hidden as u64));
    }
    block
}
