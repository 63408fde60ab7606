//! Tool calls: which are open, which result belongs to which, and their lines.

use std::collections::BTreeMap;

use ralph_agents::carries_handoff;
use ralph_core::time::{Millis, Timestamp};

use super::options::Options;
use crate::{
    reporters::{
        block::{Block, Entry},
        line::{Line, Tone},
        plain,
    },
    words,
};

/// Most columns of a tool call's input on its line.
const INPUT: usize = 200;
/// Where there is no live line, a call that runs this long is mentioned; then when it has run twice as long.
const LONG: Millis = Millis::secs(60);

/// A tool call that has not ended.
#[derive(Debug, Clone)]
pub(crate) struct Open {
    pub(crate) at: Timestamp,
    pub(crate) name: String,
    pub(crate) input: String,
    /// How many calls began before it.
    nth: u64,
    mention_after: Millis,
    /// What it asks for is shown already.
    is_told: bool,
}

/// A tool call's result.
pub(crate) struct Ended<'a> {
    pub(crate) id: &'a str,
    pub(crate) output: &'a str,
    pub(crate) lines: u64,
    pub(crate) chars: u64,
    pub(crate) is_error: bool,
}

/// The calls of one agent process.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    open: BTreeMap<String, Open>,
    begun: u64,
}

impl Tools {
    /// A call began. One of the same id that never ended is shown as such.
    pub(crate) fn start(&mut self, at: Timestamp, id: &str, (name, input): (&str, &str)) -> Block {
        self.begun += 1;
        let open = Open {
            at,
            name: name.to_owned(),
            input: input.to_owned(),
            nth: self.begun,
            mention_after: LONG,
            is_told: false,
        };
        let before = self.open.insert(id.to_owned(), open);
        before.map(|open| without_result(&open, at)).into_iter().collect()
    }

    /// A result came, perhaps of a call that nobody saw begin.
    pub(crate) fn end(&mut self, at: Timestamp, ended: &Ended<'_>, options: &Options) -> Block {
        let open = self.open.remove(ended.id);
        if open.as_ref().is_some_and(|open| open.is_told) && !ended.is_error && !options.verbose {
            return Vec::new();
        }
        let took = open.as_ref().map_or(Millis(0), |open| at.since(open.at));
        let (name, input) =
            open.as_ref().map_or(("tool", ended.id), |open| (&*open.name, &*open.input));
        let mut after = Line::new();
        if took.0 >= 1000 {
            after = after.dim(format!("{took}  "));
        }
        if ended.is_error {
            after = after.add(Tone::Bad, "error");
        } else if options.verbose && ended.lines > 0 {
            let size = (words::count(ended.lines, "line"), words::short(ended.chars));
            after = after.dim(format!("{}, {} chars", size.0, size.1));
        }
        let mut block = vec![call(name, input, after)];
        if ended.is_error || options.verbose {
            block.extend(quoted(ended.output, ended.lines, options));
        }
        block
    }

    /// Whether an open call hands over the agent's answer.
    pub(crate) fn hands_over(&self, id: &str) -> bool {
        self.open.get(id).is_some_and(|open| carries_handoff(&open.name))
    }

    /// A call that is shown in another way than with a line of its own.
    pub(crate) fn taken(&mut self, id: &str) -> Option<Open> {
        self.open.remove(id)
    }

    /// A list is shown: the call that began last needs no line of its own if it is what brought the list.
    pub(crate) fn listed(&mut self, first: &str) {
        let last = self.open.values_mut().max_by_key(|open| open.nth);
        if let Some(open) = last.filter(|open| !first.is_empty() && open.input.contains(first)) {
            open.is_told = true;
        }
    }

    /// What never ended, now that the agent has.
    pub(crate) fn close(&mut self, at: Timestamp) -> Block {
        let open = std::mem::take(&mut self.open);
        in_order(open.values()).into_iter().map(|open| without_result(open, at)).collect()
    }

    /// The call that began last and still runs, and how many others do.
    pub(crate) fn running(&self) -> Option<(&Open, usize)> {
        let last = self.open.values().max_by_key(|open| open.nth)?;
        Some((last, self.open.len() - 1))
    }

    /// Lines about calls that run for long, for a screen without a live line.
    pub(crate) fn long(&mut self, now: Timestamp) -> Block {
        let mut block = Vec::new();
        for open in self.open.values_mut() {
            let took = now.since(open.at);
            if took >= open.mention_after {
                open.mention_after = Millis(took.0.saturating_mul(2));
                let after = Line::new().dim(format!("{took} so far"));
                block.push(call(&open.name, &open.input, after));
            }
        }
        block
    }
}

fn in_order<'a>(open: impl Iterator<Item = &'a Open>) -> Vec<&'a Open> {
    let mut open: Vec<&Open> = open.collect();
    open.sort_by_key(|open| open.nth);
    open
}

fn without_result(open: &Open, at: Timestamp) -> Entry {
    let took = at.since(open.at);
    let mut after = Line::new();
    if took.0 >= 1000 {
        after = after.dim(format!("{took}  "));
    }
    call(&open.name, &open.input, after.add(Tone::Warn, "no result"))
}

fn call(name: &str, input: &str, after: Line) -> Entry {
    let before = Line::new().plain("    ").add(Tone::Accent, name).plain(" ");
    Entry::Titled { before, title: plain::cut(&plain::one_line(input), INPUT), after }
}

/// The beginning of an output; `lines` is how many it had before anybody cut it.
fn quoted(output: &str, lines: u64, options: &Options) -> Block {
    let display = &options.display;
    let (shown, hidden) = plain::head(output, display.max_output_lines, display.max_output_chars);
    let hidden = lines.saturating_sub(shown.len() as u64).max(hidden as u64);
    let mut block: Block =
        shown.iter().filter(|line| !line.is_empty()).map(|line| Entry::quoted(6, line)).collect();
    if hidden > 0 {
        block.push(more(6, hidden));
    }
    block
}

/// How much is not shown.
pub(crate) fn more(indent: usize, hidden: u64) -> Entry {
    Entry::text(indent, Tone::Dim, format!("({})", words::count(hidden, "more line")))
}
