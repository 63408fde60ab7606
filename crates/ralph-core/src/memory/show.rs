//! What a prompt shows of memory: the last iteration, the ones before it in a line each, and what is known.
//!
//! All of it is the words of agents and people: one line each below headings of ralph's own, so that none can pose as instructions.

use std::collections::BTreeSet;

use ralph_text::{cut, markdown::one_line, sanitise::clean, tokens::tokens};

use super::{
    context::{Context, Statement},
    levels::Record,
    store::Memory,
};
use crate::plan::{Criterion, Task};

/// Tokens of the last iteration's L2.
const LAST: usize = 480;
/// Tokens of the iterations before it.
const EARLIER: usize = 140;
/// How many of them are told.
const MOST_EARLIER: usize = 3;
/// Most bytes of one line.
const LINE: usize = 400;
/// Tokens of the line that tells how much is left out.
const MORE: usize = 20;

/// Fewest characters of a word that tells what a task is about.
const LEAST_WORD: usize = 4;

/// What the iteration before left, unless a compaction covers it.
pub fn last(memory: &Memory) -> String {
    let Some(record) = memory.records.last() else {
        return String::new();
    };
    let l2 = record.l2();
    let mut text = Filling::new(LAST);
    text.line(&line(&record.l1()));
    for (name, list) in l2.lists() {
        text.list(&format!("\n{name}:"), list.iter().map(String::as_str));
    }
    text.text
}

/// The two or three iterations before the last one, a line each, newest first.
pub fn earlier(memory: &Memory) -> String {
    let mut text = Filling::new(EARLIER);
    for record in memory.records.iter().rev().skip(1).take(MOST_EARLIER) {
        text.line(&format!("- {}", line(&record.l1())));
    }
    text.text
}

/// What is known, at most so many tokens: constraints first, then what concerns the task; files and libraries last.
pub fn known(context: &Context, task: &Task, room: usize) -> String {
    if context.is_empty() {
        return String::new();
    }
    let about = About::of(task);
    let mut text = Filling::new(room);
    text.list(
        "\n### Notes by the people of this project\n",
        context.notes.iter().map(String::as_str),
    );
    let summary = context.project_summary();
    if !summary.is_empty() {
        text.line(&format!("\n### Project state\n\n{}", line(&summary)));
    }
    let lists = [
        ("Active constraints", &context.constraints),
        ("Architecture decisions", &context.decisions),
        ("Unresolved issues", &context.issues),
        ("Codebase patterns", &context.patterns),
        ("Completed work", &context.completed),
    ];
    // Constraints may take all there is; the rest leaves something for each other.
    for (name, list) in lists {
        let chosen = about.closest(list);
        text.list(&format!("\n### {name}\n"), chosen.iter().map(String::as_str));
    }
    let libraries: Vec<String> = context
        .libraries
        .iter()
        .map(|one| format!("{}: {} {}", one.library, one.key_apis, one.usage_notes))
        .collect();
    text.list("\n### Library reference\n", libraries.iter().map(String::as_str));
    let mut files: Vec<(usize, String)> = context
        .files
        .iter()
        .rev()
        .map(|one| (about.score(&format!("{} {}", one.path, one.purpose)), one))
        .map(|(score, one)| (score, format!("{}: {}", one.path, one.purpose)))
        .collect();
    files.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    text.list("\n### Files\n", files.iter().map(|(_, line)| line.as_str()));
    text.text
}

/// The curated patterns, those of the last iterations included, one a line.
pub fn patterns(memory: &Memory, most: usize) -> Vec<String> {
    let new = memory.records.iter().flat_map(|record| &record.patterns);
    let mut texts: Vec<&str> =
        memory.context.patterns.iter().map(|one| one.text.as_str()).collect();
    for text in new {
        if !texts.contains(&text.as_str()) {
            texts.push(text);
        }
    }
    texts.iter().rev().take(most).rev().map(|text| line(text)).collect()
}

/// An agent's or a person's words as one line without control characters.
pub fn line(text: &str) -> String {
    cut::ellipsis(&one_line(&clean(text)), LINE)
}

/// A text that grows until its room is used up.
struct Filling {
    text: String,
    room: usize,
}

impl Filling {
    fn new(room: usize) -> Self {
        Self { text: String::new(), room }
    }

    fn line(&mut self, line: &str) -> bool {
        let cost = tokens(line) + 1;
        let fits = cost <= self.room;
        if fits {
            self.room -= cost;
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            self.text.push_str(line);
        }
        fits
    }

    /// A heading and as many of its lines as fit; nothing if not even the first does.
    fn list<'a>(&mut self, heading: &str, mut lines: impl Iterator<Item = &'a str>) {
        let item = |text: &str| format!("- {}", line(text));
        let Some(first) = lines.next().map(item) else {
            return;
        };
        self.room = self.room.saturating_sub(MORE);
        let mut left_out = usize::from(!self.line(&format!("{heading}\n{first}")));
        for line in lines {
            if left_out > 0 || !self.line(&item(line)) {
                left_out += 1;
            }
        }
        self.room += MORE;
        if left_out > 0 {
            self.line(&format!("- ({left_out} more are left out here)"));
        }
    }
}

/// What a task is about, as words.
struct About {
    words: BTreeSet<String>,
}

impl About {
    fn of(task: &Task) -> Self {
        let criteria = task.acceptance_criteria.iter().map(Criterion::text);
        let texts = [task.title.as_str(), task.description.as_str()].into_iter().chain(criteria);
        let words = texts.flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
        let is_long = |word: &&str| word.chars().count() >= LEAST_WORD;
        Self { words: words.filter(is_long).map(str::to_lowercase).collect() }
    }

    /// How many of the task's words a text has; parts of a path count.
    fn score(&self, text: &str) -> usize {
        let text = text.to_lowercase();
        self.words.iter().filter(|word| text.contains(word.as_str())).count()
    }

    /// The statements, those that concern the task first, then the newest.
    fn closest(&self, list: &[Statement]) -> Vec<String> {
        let mut ranked: Vec<(usize, u32, String)> =
            list.iter().map(|one| (self.score(&one.text), one.last, one.line())).collect();
        ranked.sort_by_key(|(score, last, _)| std::cmp::Reverse((*score, *last)));
        ranked.into_iter().map(|(.., line)| line).collect()
    }
}

/// One record as a progress log tells it.
pub fn entry(record: &Record, gates: &str) -> String {
    let verdict = if record.accepted { "accepted" } else { "not accepted" };
    let mut lines = vec![format!(
        "## Iteration {} ({}): {}",
        record.iteration,
        record.kind.word(),
        line(&record.task)
    )];
    lines.push(format!("- {}", line(&record.summary)));
    if !record.files.is_empty() {
        lines.push(format!("- Files: {}", line(&record.files.join(", "))));
    }
    let gates = if gates.is_empty() { String::new() } else { format!("; {}", line(gates)) };
    lines.push(format!("- Verdict: {verdict}{gates}"));
    let l2 = record.l2();
    for (name, list) in l2.lists() {
        lines.extend(list.iter().map(|text| format!("- {name}: {}", line(text))));
    }
    lines.extend(record.patterns.iter().map(|text| format!("- Pattern: {}", line(text))));
    lines.join("\n")
}
