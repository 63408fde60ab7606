//! The line that names a task: its id or number, its title, and what people put in brackets behind it.

use super::super::names;
use super::{
    inline,
    line::{self, Tick},
};
use crate::plan::Status;

/// What the first line of a task says.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Head {
    pub(super) tick: Option<Tick>,
    pub(super) id: Option<String>,
    /// `3` of `Task 3`.
    pub(super) number: Option<String>,
    pub(super) title: String,
    pub(super) priority: Option<i64>,
    pub(super) depends_on: Option<String>,
    pub(super) status: Option<Status>,
}

/// The head in a heading, if that heading is a task.
pub(super) fn of_heading(level: usize, text: &str) -> Option<Head> {
    if level < 2 {
        return None;
    }
    let (tick, rest) = match line::tick(text) {
        Some((tick, rest)) => (Some(tick), rest),
        None => (None, text),
    };
    let head = of_text(rest);
    let is_task = tick.is_some() || head.id.is_some() || head.number.is_some();
    is_task.then_some(Head { tick, ..head })
}

/// The head in the text of an item or of a heading.
pub(super) fn of_text(text: &str) -> Head {
    let mut head = Head::default();
    let mut rest = bare(text);
    if let Some((id, title)) = leading_id(rest) {
        (head.id, rest) = (Some(id.to_owned()), title);
    } else if let Some((number, title)) = numbered(rest) {
        (head.number, rest) = (Some(number.to_owned()), title);
    }
    rest = bare(rest);
    while let Some((before, said)) = trailing_brackets(rest) {
        if !head.take(said) {
            break;
        }
        rest = before;
    }
    if let Some(before) = rest.strip_suffix('✅') {
        head.status = Some(Status::Done);
        rest = before.trim_end();
    }
    head.title = inline::unescape(rest);
    head
}

impl Head {
    /// Takes what stands in brackets, if it is understood.
    fn take(&mut self, said: &str) -> bool {
        let lower = said.to_lowercase();
        for word in ["depends on", "depends", "blocked by", "requires"] {
            if let Some(at) = lower.strip_prefix(word).map(|rest| said.len() - rest.len())
                && let Some(needed) = said.get(at..)
                && needed.starts_with([' ', ':'])
                && self.depends_on.is_none()
            {
                self.depends_on = Some(needed.trim_start_matches([':', ' ']).to_owned());
                return true;
            }
        }
        let word = lower.strip_prefix("priority").map(|rest| rest.trim_start_matches([':', ' ']));
        let is_short = lower.len() == 2 && lower.starts_with('p');
        let priority = word.or(is_short.then_some(lower.as_str())).and_then(names::priority);
        if priority.is_some() && self.priority.is_none() {
            self.priority = priority;
            return true;
        }
        if lower == "done" && self.status.is_none() {
            self.status = Some(Status::Done);
            return true;
        }
        false
    }
}

/// Text without stars around all of it.
fn bare(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("**").and_then(|inner| inner.strip_suffix("**"));
    inner.filter(|inner| !inner.contains("**") && !inner.is_empty()).map_or(text, str::trim)
}

/// `Task 3: title`, `Story 1.2 - title`.
fn numbered(text: &str) -> Option<(&str, &str)> {
    const WORDS: &[&str] = &["user story", "task", "story", "step", "issue", "todo", "item"];
    let lower = text.to_lowercase();
    let word = WORDS.iter().find(|word| lower.starts_with(**word))?;
    let rest = text.get(word.len()..)?;
    let rest = rest.strip_prefix([' ', '#', '-'])?.trim_start_matches([' ', '#', '-']);
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let number = rest.get(..rest.len() - after.len())?.trim_end_matches('.');
    let after = rest.get(number.len()..)?;
    let is_number = number.starts_with(|c: char| c.is_ascii_digit());
    let title = separated(after).filter(|_| is_number)?;
    Some((number, title))
}

/// `T-001: title`, `**T-001** title`, `[T-001] title`, `T001 title`.
fn leading_id(text: &str) -> Option<(&str, &str)> {
    for (open, close) in [("**", "**"), ("[", "]"), ("`", "`"), ("(", ")")] {
        if let Some((id, rest)) = text.strip_prefix(open).and_then(|rest| rest.split_once(close))
            && let id = id.trim_end_matches(':')
            && is_id(id)
        {
            let title = separated(rest).unwrap_or(rest.trim());
            return (!title.is_empty()).then_some((id, title));
        }
    }
    let end = text.find(|c: char| c.is_whitespace() || c == ':')?;
    let (id, rest) = text.split_at(end);
    let title = if is_id(id) { separated(rest) } else { None };
    let title = title.or_else(|| is_code(id).then(|| rest.trim()))?;
    (!title.is_empty()).then_some((id, title))
}

/// Text behind a colon, a dash or a bracket.
fn separated(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let rest = text.strip_prefix([':', '.', ')', '—', '–']).or_else(|| text.strip_prefix("- "))?;
    Some(rest.trim()).filter(|title| !title.is_empty())
}

/// Looks like the id of a task, not like a word: `T-001`, `US-12`, `E2-T1`, `bd-a1b2`.
pub(super) fn is_id(text: &str) -> bool {
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    is_plain
        && text.len() <= 30
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.ends_with(|c: char| c.is_ascii_alphanumeric())
        && text.contains(['-', '_'])
        && text.bytes().any(|b| b.is_ascii_digit())
        || is_code(text)
}

/// `T001`, `US0012`.
fn is_code(text: &str) -> bool {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_uppercase());
    (1..=3).contains(&(text.len() - digits.len()))
        && (3..=6).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit())
}

fn trailing_brackets(text: &str) -> Option<(&str, &str)> {
    let (close, open) = match text.chars().last()? {
        ')' => (')', '('),
        ']' => (']', '['),
        _ => return None,
    };
    let inner = text.strip_suffix(close)?;
    let at = inner.rfind(open)?;
    let before = inner.get(..at)?.trim_end();
    (!before.is_empty()).then_some((before, inner.get(at + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_as_people_write_them() {
        let cases = [
            ("T-001: Build it", Some("T-001"), None, "Build it"),
            ("**US-12**: Build it", Some("US-12"), None, "Build it"),
            ("**US-12: Build it**", Some("US-12"), None, "Build it"),
            ("[E2-T1] Build it", Some("E2-T1"), None, "Build it"),
            ("T001 [P] Build it", Some("T001"), None, "[P] Build it"),
            ("TASK-001: Build it", Some("TASK-001"), None, "Build it"),
            ("Task 3: Build it", None, Some("3"), "Build it"),
            ("Story 1.2 - Build it", None, Some("1.2"), "Build it"),
            ("Task #4. Build it", None, Some("4"), "Build it"),
            ("Fix: the bug", None, None, "Fix: the bug"),
            ("Tasks of today", None, None, "Tasks of today"),
            ("UTF-8 support", None, None, "UTF-8 support"),
            ("T-001:", None, None, "T-001:"),
        ];
        for (text, id, number, title) in cases {
            let head = of_text(text);
            let read = (head.id.as_deref(), head.number.as_deref(), head.title.as_str());
            assert_eq!(read, (id, number, title), "{text}");
        }
    }

    #[test]
    fn brackets_behind_a_title_are_understood_or_left() {
        let head = of_text("Ship it (depends on T-001, T-002) [P1]");
        assert_eq!((head.title.as_str(), head.priority), ("Ship it", Some(1)));
        assert_eq!(head.depends_on.as_deref(), Some("T-001, T-002"));
        assert_eq!(of_text("Ship it (soon)").title, "Ship it (soon)");
        assert_eq!(of_text("Ship it ✅").status, Some(Status::Done));
    }

    #[test]
    fn only_headings_that_name_a_task_are_tasks() {
        for (level, text) in [(1, "T-1: x"), (2, "Goals"), (3, "Overview of tasks"), (2, "")] {
            assert_eq!(of_heading(level, text), None, "{text}");
        }
        assert!(of_heading(3, "[ ] anything").is_some());
        assert!(of_heading(3, "Task 1: x").is_some());
    }
}
