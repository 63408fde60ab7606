//! What sections share: lists that are cut and say so, tables that can be scrolled, counts in words.

use maud::{Markup, html};

use super::clean::Clean;
use crate::{
    time::{Millis, Timestamp},
    usage::Usage,
};

/// How much of a report a page shows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Tasks with details.
    pub(super) tasks: usize,
    /// Rows of a table, entries of a list.
    pub(super) rows: usize,
    /// Whether details have what programs printed.
    pub(super) has_output: bool,
}

impl Bounds {
    /// Marks of a picture.
    pub(super) fn marks(self) -> usize {
        self.rows * 2
    }
}

/// A page that is written again while its run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Live {
    pub as_of: Timestamp,
    pub every: Millis,
}

/// What every section is given.
pub(super) struct Frame<'a> {
    pub(super) bounds: Bounds,
    /// A point in time as it is to be shown.
    pub(super) show: &'a dyn Fn(Timestamp) -> String,
}

/// `1 task`, `2 tasks`.
pub(super) fn count(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

/// What a list leaves out.
pub(super) fn left_out(hidden: usize, what: &str) -> Markup {
    html! {
        @if hidden > 0 {
            p .dim { (count(hidden, what)) " not shown here; " code { "report.json" } " has everything." }
        }
    }
}

/// Something wide that can be scrolled by keyboard too.
pub(super) fn scroll(label: &str, content: &Markup) -> Markup {
    html! { div .scroll role="region" tabindex="0" aria-label=(label) { (content) } }
}

/// An agent that reports nothing is not said to be free.
pub(super) fn money(usage: &Usage) -> String {
    usage.known_cost().map_or_else(|| "not reported".into(), |cost| cost.to_string())
}

/// Commands to type, best first.
pub(super) fn commands(commands: &[String]) -> Markup {
    html! {
        @for (nth, command) in commands.iter().enumerate() {
            @if nth > 0 { " or " }
            code { (Clean::name(command)) }
        }
    }
}

/// A mark of the legend.
pub(super) fn key(class: &str, letter: &str, words: &str) -> Markup {
    html! {
        li {
            svg viewBox="0 0 14 14" aria-hidden="true" {
                rect class=(class) x="1" y="1" width="12" height="12" rx="2" {}
                @if !letter.is_empty() { text .on x="7" y="11" text-anchor="middle" { (letter) } }
            }
            (words)
        }
    }
}
