//! Estimates how many tokens a text has, in one pass and without a vocabulary.
//!
//! Splits a text roughly as byte-pair tokenizers do and gives each character the average cost of its kind; see
//! docs/adr/0016. Good enough for budgets: must never be used where a count has to be exact.

/// Parts of a token in which costs are counted.
const WHOLE: usize = 100;

/// An estimate of a text's tokens.
pub fn tokens(text: &str) -> usize {
    let (mut cost, mut run, mut last) = (0, 0, '\n');
    for c in text.chars() {
        let kind = Kind::of(c);
        let is_hump = c.is_ascii_uppercase() && last.is_ascii_lowercase();
        run = if kind == Kind::of(last) && !is_hump { run + 1 } else { 1 };
        cost += match kind {
            Kind::Letter if run == 1 && matches!(Kind::of(last), Kind::Letter | Kind::Digit) => 70,
            Kind::Letter | Kind::Line if run == 1 => WHOLE,
            Kind::Letter if run > 5 => 13,
            // A space belongs to the word after it, but to no number.
            Kind::Digit if run == 1 && last == ' ' => WHOLE + 30,
            Kind::Digit if run % 3 == 1 => WHOLE,
            Kind::Blank if run == 2 => WHOLE,
            Kind::Mark if run == 1 => 60,
            Kind::Mark if c == last => 8,
            Kind::Mark => 45,
            Kind::Other => other(c),
            Kind::Letter | Kind::Digit | Kind::Line | Kind::Blank => 0,
        };
        // A sign of a language with fewer words in the vocabulary.
        cost += if kind == Kind::Letter && !c.is_ascii() { 20 } else { 0 };
        last = c;
    }
    cost.div_ceil(WHOLE)
}

#[derive(PartialEq, Eq)]
enum Kind {
    /// Of the Latin script.
    Letter,
    Digit,
    Line,
    Blank,
    Mark,
    Other,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Self::Letter,
            '0'..='9' => Self::Digit,
            '\n' | '\r' => Self::Line,
            ' ' | '\t' => Self::Blank,
            _ if c.is_ascii_graphic() => Self::Mark,
            _ => Self::Other,
        }
    }
}

/// What one character of another script costs on average.
fn other(c: char) -> usize {
    match u32::from(c) {
        0x370..=0xeff => 30,   // Greek, Cyrillic, Hebrew, Arabic, scripts of India, Thai
        0x2500..=0x257f => 50, // boxes
        0x3040..=0xd7a3 => 66, // kana, ideographs, Hangul
        0..=0xbf | 0x2000..=0x303f | 0xff00..=0xffef => WHOLE, // controls and marks
        _ => 2 * WHOLE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_marks_and_spaces_are_counted_as_tokenizers_split_them() {
        for (text, count) in [
            ("", 0),
            ("hello world", 2),
            ("getUserById", 4),
            ("1234567", 3),
            ("a == b", 3),
            ("----------------", 2),
            ("\n\n\n", 1),
            ("数据库", 2),
            ("🚀", 2),
        ] {
            assert_eq!(tokens(text), count, "{text:?}");
        }
    }

    #[test]
    fn any_text_is_counted_and_more_text_is_never_fewer_tokens_than_half_its_parts() {
        let odd = "\u{0}\u{1b}[2J\u{feff}\u{202e}é\u{301}👨‍👩‍👧🇩🇪\r\n\t\t x";
        for at in odd.char_indices().map(|(at, _)| at) {
            let (first, second) = odd.split_at(at);
            assert!(2 * tokens(odd) >= tokens(first).max(tokens(second)), "{at}");
        }
        assert!(tokens(&"x".repeat(100_000)) > 10_000);
    }
}
