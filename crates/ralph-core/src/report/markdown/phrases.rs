//! The phrases that sections share: sentences, names, counts, and how much a list leaves out. Knows no report.

use ralph_text::{
    cut,
    markdown::{inline_code, list, words},
    sanitise::clean,
};

/// Most entries of a list; the JSON has all of them.
pub(super) const LISTED: usize = 40;
/// Most bytes of somebody's sentence.
const SENTENCE: usize = 600;

/// A line that says how much a list leaves out.
pub(super) fn more(total: usize) -> String {
    match total.saturating_sub(LISTED) {
        0 => String::new(),
        hidden => format!("\n- and {hidden} more; the JSON report has all"),
    }
}

/// A titled list with an item for each; empty where there is none.
pub(super) fn listed<T>(title: &str, all: &[T], item: impl Fn(&T) -> String) -> String {
    if all.is_empty() {
        return String::new();
    }
    format!("{title}\n\n{}{}", list(all.iter().take(LISTED).map(item)), more(all.len()))
}

/// Somebody's sentence, cut and escaped.
pub(super) fn said(text: &str) -> String {
    words(&cut::ellipsis(text.trim(), SENTENCE))
}

/// A sentence of ralph's own: what it quotes in backticks is code, the rest may hold anybody's names.
pub(super) fn note(text: &str) -> String {
    let text = cut::ellipsis(text.trim(), SENTENCE);
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return words(&text);
    }
    let gap = |is_one: bool| if is_one { " " } else { "" };
    let plain = |part: &str| {
        let (begins, ends) =
            (part.starts_with(' '), !part.trim().is_empty() && part.ends_with(' '));
        format!("{}{}{}", gap(begins), words(part), gap(ends))
    };
    let shown = parts.iter().enumerate();
    shown.map(|(nth, part)| if nth.is_multiple_of(2) { plain(part) } else { code(part) }).collect()
}

/// A name or a command, cleaned.
pub(super) fn code(text: &str) -> String {
    inline_code(&clean(text))
}

/// `1 task`, `2 tasks`.
pub(super) fn count(n: u64, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}
