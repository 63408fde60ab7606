//! How many columns text takes on a terminal. Where terminals differ it measures more, never less, so that
//! no line becomes wider than the screen.

use unicode_width::UnicodeWidthChar as _;

/// Asks for the emoji form of the character before it, which is two columns wide.
const EMOJI_FORM: char = '\u{fe0f}';

/// How many columns a text takes.
pub(crate) fn of(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    columns(text).map(|(_, columns)| columns).sum()
}

/// Each character with the columns it adds.
pub(crate) fn columns(text: &str) -> impl Iterator<Item = (char, usize)> {
    let mut before = 0;
    text.chars().map(move |c| {
        let columns = if c == EMOJI_FORM { usize::from(before == 1) } else { of_char(c) };
        if columns > 0 {
            before = columns;
        }
        (c, columns)
    })
}

fn of_char(c: char) -> usize {
    if c < '\u{300}' { 1 } else { c.width().unwrap_or(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_marks_and_emoji_are_measured_as_terminals_show_them() {
        for (text, columns) in [
            ("plain", 5),
            ("日本語", 6),
            ("한국어", 6),
            ("ｆｕｌｌ", 8),
            ("e\u{301}tude", 5),
            ("ภาษาไทย", 7),
            ("กำลัง", 4),
            ("✅ done", 7),
            ("🦀", 2),
            ("❤\u{fe0f}", 2),
            ("✓ ✗ ▶ … · ━", 11),
            ("", 0),
        ] {
            assert_eq!(of(text), columns, "{text}");
        }
    }
}
