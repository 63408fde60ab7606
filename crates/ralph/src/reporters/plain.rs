//! Makes text from outside harmless for a terminal, and measures it.
//!
//! Everything an agent, a gate, a plan or a file said goes through [`clean`] before it is shown.

pub(crate) use ralph_core::harmless::clean;

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

/// How many columns a text takes on a terminal.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

fn char_width(c: char) -> usize {
    match c {
        '\u{300}'..='\u{36f}'
        | '\u{1ab0}'..='\u{1aff}'
        | '\u{200b}'..='\u{200f}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{231a}'..='\u{231b}'
        | '\u{23e9}'..='\u{23f3}'
        | '\u{2705}'
        | '\u{274c}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1f64f}'
        | '\u{1f680}'..='\u{1f6ff}'
        | '\u{1f900}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

/// The beginning of a text that fits, with a mark where something was cut.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.into();
    }
    if columns == 0 {
        return String::new();
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        used += char_width(c);
        if used + 1 > columns {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}

/// Breaks a line at spaces so that each part fits; a longer word keeps a line for itself.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let wide = width(word);
        if used > 0 && used + 1 + wide > columns {
            lines.push(String::new());
            used = 0;
        }
        if let Some(line) = lines.last_mut() {
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            line.push_str(word);
            used += wide;
        }
    }
    lines
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
        let part: String = line.chars().take(left).collect();
        let taken = part.chars().count();
        left -= taken;
        shown.push(if taken < line.chars().count() { format!("{part}…") } else { part });
    }
    let hidden = all.len() - shown.len();
    (shown, hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn wrapping_keeps_every_word() {
        let parts = wrap("the quick brown fox averylongword jumps", 10);
        assert_eq!(parts, ["the quick", "brown fox", "averylongword", "jumps"]);
    }

    #[test]
    fn the_head_of_an_output_says_how_much_is_hidden() {
        let (shown, hidden) = head("a\nb\nc\nd\n", 2, 100);
        assert_eq!((shown, hidden), (vec!["a".into(), "b".into()], 2));
        let (shown, hidden) = head("abcdef\nx", 5, 4);
        assert_eq!((shown, hidden), (vec!["abcd…".into()], 1));
    }
}
