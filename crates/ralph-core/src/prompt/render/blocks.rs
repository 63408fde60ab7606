//! Blocks of a prompt: joined by blank lines, left out where there is nothing to say. Knows nothing of what they hold.

use ralph_text::markdown::list;

/// Most lines of one list: a change of a thousand tests must not fill the prompt.
const MAX_LINES: usize = 50;

/// The blocks that say something.
pub(super) fn joined(blocks: impl IntoIterator<Item = String>) -> String {
    let blocks: Vec<String> = blocks.into_iter().filter(|block| !block.is_empty()).collect();
    blocks.join("\n\n")
}

/// A text below what introduces it; nothing if there is no text.
pub(super) fn below(introduction: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{introduction}\n\n{text}") }
}

/// Lines below a sentence; nothing if there are none.
pub(super) fn listed(sentence: &str, lines: impl Iterator<Item = String>) -> String {
    let mut lines: Vec<String> = lines.collect();
    let more = lines.len().saturating_sub(MAX_LINES);
    lines.truncate(MAX_LINES);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    below(sentence, &list(lines.into_iter()))
}
