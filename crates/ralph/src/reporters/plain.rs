//! Makes text from outside harmless for a terminal, and fits it into columns.
//!
//! Everything an agent, a gate, a plan or a file said goes through [`clean`] before it is shown.

use std::{borrow::Cow, fmt::Write as _};

pub(crate) use ralph_text::sanitise::clean;

use super::width;

/// JSON whose strings hold nothing that a terminal would obey; it means the same.
pub(crate) fn in_json(text: &str) -> Cow<'_, str> {
    // JSON itself escapes what is harmful in ASCII, but for one character.
    let is_kept = |c: char| clean(c.encode_utf8(&mut [0; 4])).starts_with(c);
    let is_harmful = |c: char| c == '\u{7f}' || !(c.is_ascii() || is_kept(c));
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_harmful(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// [`clean`] for text that must stay on one line.
pub(crate) fn one_line(text: &str) -> String {
    let text = clean(text);
    if text.contains('\n') {
        text.split('\n')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    } else {
        text
    }
}

/// The beginning of a text that fits, with a mark where something was cut.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width::of(text) <= columns {
        return text.into();
    }
    if columns == 0 {
        return String::new();
    }
    let mut out = fitting(text, columns - 1).to_owned();
    out.push('…');
    out
}

/// The longest beginning of a text that takes at most so many columns, with its marks.
fn fitting(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let mut end = 0;
    for (c, wide) in width::columns(text) {
        used += wide;
        if used > columns {
            break;
        }
        end += c.len_utf8();
    }
    text.get(..end).unwrap_or_default()
}

/// Breaks a line at spaces so that its first part takes at most `first` columns and each other one at most
/// `rest`. A word that is longer than a line is broken anywhere.
pub(crate) fn wrap(text: &str, first: usize, rest: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let (mut room, mut used) = (first, 0);
    for word in text.split(' ') {
        let mut word = word;
        let gap = usize::from(used > 0);
        if used + gap + width::of(word) > room && (used > 0 || width::of(word) <= rest) {
            // An empty first line only says that nothing fits beside what leads it.
            lines.push(String::new());
            (room, used) = (rest, 0);
        }
        while used == 0 && width::of(word) > room {
            let part = match fitting(word, room) {
                "" => word.get(..word.chars().next().map_or(0, char::len_utf8)).unwrap_or(word),
                part => part,
            };
            push(&mut lines, part);
            lines.push(String::new());
            word = word.get(part.len()..).unwrap_or_default();
            room = rest;
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(if used > 0 { " " } else { "" });
        }
        push(&mut lines, word);
        used += usize::from(used > 0) + width::of(word);
    }
    lines
}

fn push(lines: &mut [String], part: &str) {
    if let Some(line) = lines.last_mut() {
        line.push_str(part);
    }
}

/// The first lines and characters of an output, and how many lines were left out.
pub(crate) fn head(text: &str, lines: usize, chars: usize) -> (Vec<String>, usize) {
    let text = clean(text);
    let all: Vec<&str> = text.trim_end().split('\n').map(str::trim_end).collect();
    let mut left = chars;
    let mut shown = Vec::new();
    for line in all.iter().take(lines) {
        if left == 0 {
            break;
        }
        if let Some((end, _)) = line.char_indices().nth(left) {
            shown.push(format!("{}…", line.get(..end).unwrap_or(line)));
            left = 0;
        } else {
            shown.push((*line).to_owned());
            left -= line.chars().count();
        }
    }
    let hidden = all.len() - shown.len();
    (shown, hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_means_the_same_and_holds_nothing_that_a_terminal_obeys() {
        let value =
            serde_json::json!("a\u{9b}31m\u{9d}52;c;x\u{7}\u{7f}\u{202e}\u{e0001} ü 漢 \u{1b}]0;t");
        let text = value.to_string();
        let safe = in_json(&text);
        assert!(!safe.contains(|c: char| c.is_control() || c == '\u{202e}'), "{safe:?}");
        assert!(safe.contains("ü 漢"));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).ok(), Some(value));
        assert!(matches!(in_json("{\"a\":\"ü\"}"), Cow::Borrowed(_)));
    }

    #[test]
    fn control_sequences_never_reach_the_terminal() {
        let table = [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}]0;title\u{7}text", "text"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}]52;c;unfinished\nnext", "\nnext"),
            ("\u{9b}2Jgone", "gone"),
            ("\u{1b}P1$r\u{1b}\\dcs", "dcs"),
            ("\u{1b}(Bcharset \u{1b}cpower", "charset power"),
            ("a\u{8}b\u{7}c\u{0}d", "abcd"),
            ("50%\r100%\r\n", "50%\n100%\n"),
            ("\u{202e}evil\u{202c} \u{200b}x", "evil x"),
            ("a\tb", "a    b"),
            ("\u{1b}", ""),
        ];
        for (given, expected) in table {
            assert_eq!(clean(given), expected, "{given:?}");
        }
    }

    #[test]
    fn cutting_counts_columns_and_marks_the_cut() {
        assert_eq!(cut("short", 10), "short");
        assert_eq!(cut("abcdefgh", 5), "abcd…");
        assert_eq!(cut("日本語テキスト", 7), "日本語…");
    }

    #[test]
    fn cutting_keeps_marks_with_their_character() {
        assert_eq!(cut("e\u{301}e\u{301}e\u{301}", 2), "e\u{301}…");
        assert_eq!(cut("🦀🦀🦀", 4), "🦀…");
    }

    #[test]
    fn wrapping_keeps_every_word_and_breaks_those_that_are_longer_than_a_line() {
        let parts = wrap("the quick brown fox averyverylongword jumps", 10, 10);
        assert_eq!(parts, ["the quick", "brown fox", "averyveryl", "ongword", "jumps"]);
        assert_eq!(wrap("one two three", 3, 9), ["one", "two three"]);
        assert_eq!(wrap("seven eight", 3, 9), ["", "seven", "eight"]);
        assert_eq!(wrap("日本語テキスト", 5, 5), ["日本", "語テ", "キス", "ト"]);
    }

    #[test]
    fn no_part_is_wider_than_its_line() {
        let text = "a 日本語 e\u{301}tude 🦀🦀🦀 averyverylongword/with/a/path ─ end";
        for (first, rest) in [(4, 4), (2, 10), (7, 9), (20, 5), (40, 40)] {
            let parts = wrap(text, first, rest);
            for (nth, part) in parts.iter().enumerate() {
                let room = if nth == 0 { first } else { rest };
                assert!(width::of(part) <= room, "{first} {rest} {part:?}");
            }
            assert_eq!(parts.concat().replace(' ', ""), text.replace(' ', ""));
        }
    }

    #[test]
    fn the_head_of_an_output_says_how_much_is_hidden() {
        let (shown, hidden) = head("a\nb\nc\nd\n", 2, 100);
        assert_eq!((shown, hidden), (vec!["a".into(), "b".into()], 2));
        let (shown, hidden) = head("abcdef\nx", 5, 4);
        assert_eq!((shown, hidden), (vec!["abcd…".into()], 1));
    }
}
