//! Text that others wrote, on its way into the page: without control characters, cut, and escaped when it is rendered.

use maud::{Escaper, Render};
use ralph_text::{cut, sanitise::clean};

use std::fmt::Write as _;

/// Most bytes of a name or a title.
const NAME: usize = 300;
/// Most bytes of a sentence.
const SENTENCE: usize = 1_200;
/// Most bytes of a finding.
const FINDING: usize = 4_096;
/// Most lines and bytes of what a program printed.
const LINES: usize = 100;
const OUTPUT: usize = 24_000;

/// Foreign text that can do nothing but be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clean(String);

impl Clean {
    /// A name, a path, a title or a command.
    pub(super) fn name(text: &str) -> Self {
        Self(on_one_line(&cut::ellipsis(text.trim(), NAME)))
    }

    /// A sentence: a question, a reason.
    pub(super) fn sentence(text: &str) -> Self {
        Self(clean(&cut::ellipsis(text.trim(), SENTENCE)))
    }

    /// The same as the beginning of a line: with a capital letter.
    pub(super) fn opening(text: &str) -> Self {
        let Self(text) = Self::sentence(text);
        let mut rest = text.chars();
        let first = rest.next().map(char::to_uppercase);
        Self(first.into_iter().flatten().chain(rest).collect())
    }

    /// A reviewer's finding.
    pub(super) fn finding(text: &str) -> Self {
        Self(clean(&cut::ellipsis(text.trim(), FINDING)))
    }

    /// What a program printed: its first and last lines.
    pub(super) fn output(text: &str) -> Self {
        Self(cut::lines(&cut::middle(&clean(text), OUTPUT), LINES))
    }

    /// The beginning of it, for a place with so much room.
    pub(super) fn short(text: &str, characters: usize) -> Self {
        let whole = on_one_line(text);
        if whole.chars().count() <= characters {
            return Self(whole);
        }
        let kept: String = whole.chars().take(characters.saturating_sub(1)).collect();
        Self(format!("{}…", kept.trim_end()))
    }

    /// So many characters of a path at most; its end says more than its beginning.
    pub(super) fn short_path(path: &str, characters: usize) -> Self {
        let whole = on_one_line(path);
        let over = whole.chars().count().saturating_sub(characters);
        if over == 0 {
            return Self(whole);
        }
        Self(format!("…{}", whole.chars().skip(over + 1).collect::<String>()))
    }
}

fn on_one_line(text: &str) -> String {
    clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Render for Clean {
    fn render_to(&self, buffer: &mut String) {
        let _ = Escaper::new(buffer).write_str(&self.0);
    }
}
