//! Pieces of Markdown that the text inside them cannot get out of.

use crate::sanitise::clean;

/// A text without line breaks.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Foreign code on one line, with more backticks around it than it has inside.
pub fn inline_code(code: &str) -> String {
    let code = one_line(&clean(code));
    let ticks = "`".repeat(longest_run(&code) + 1);
    let pad = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{code}{pad}{ticks}")
}

/// A block of foreign text, fenced with more backticks than it has inside, without control characters.
pub fn fenced(text: &str) -> String {
    let text = clean(text);
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    format!("{fence}text\n{text}\n{fence}")
}

/// Foreign words on one line, to stand after something of one's own: nothing in them is read as markup.
pub fn words(text: &str) -> String {
    let text = one_line(&clean(text));
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let within = before.is_alphanumeric() && chars.peek().is_some_and(|c| c.is_alphanumeric());
        if "\\`*[]<>|~".contains(c) || (c == '_' && !within) {
            out.push('\\');
        }
        out.push(c);
        before = c;
    }
    out
}

/// Code in a cell of a table, where a bar would begin the next one.
pub fn cell_code(code: &str) -> String {
    inline_code(code).replace('|', "\\|")
}

/// Lines as a list.
pub fn list(lines: impl Iterator<Item = String>) -> String {
    lines.map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_words_forge_no_structure() {
        assert_eq!(words("a\n## Done\n| b_c |"), r"a ## Done \| b_c \|");
        assert_eq!(words("<b> [x](y) \u{1b}[2J_c_"), r"\<b\> \[x\](y) \_c\_");
        assert_eq!(cell_code("a | b"), r"`a \| b`");
    }

    #[test]
    fn foreign_blocks_stay_inside_their_fence() {
        assert_eq!(fenced("a\n```\n# b"), "````text\na\n```\n# b\n````");
    }
}
