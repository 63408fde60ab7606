//! Estimates how many tokens a text has, in one pass and without a vocabulary.
//!
//! Splits a text as byte-pair tokenizers do before they look anything up, and gives each piece the average cost of
//! its kind. The costs were fitted to o200k; see docs/adr/0016.

/// Parts of a token in which costs are counted.
const WHOLE: usize = 100;

/// An estimate of a text's tokens.
pub fn tokens(text: &str) -> usize {
    let mut chars = Chars { rest: text };
    let mut cost = 0;
    while let Some(first) = chars.peek() {
        cost += match class(first) {
            Class::Letter => word(&mut chars, Before::Nothing),
            Class::Digit => digits(&mut chars),
            Class::Space => space(&mut chars),
            Class::Mark => marks(&mut chars),
            Class::Foreign(_) => foreign(&mut chars),
        };
    }
    cost.div_ceil(WHOLE)
}

/// What a character is to a tokenizer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Of the Latin script.
    Letter,
    Digit,
    Space,
    /// Punctuation, symbols and controls within ASCII.
    Mark,
    /// Anything else, with what one character of it costs.
    Foreign(usize),
}

#[inline]
fn class(c: char) -> Class {
    match c {
        'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Class::Letter,
        '0'..='9' => Class::Digit,
        _ if c.is_ascii_whitespace() => Class::Space,
        _ if c.is_ascii_control() => Class::Foreign(WHOLE),
        _ if c.is_ascii() => Class::Mark,
        _ => Class::Foreign(script(c)),
    }
}

/// What one character of a script costs on average.
fn script(c: char) -> usize {
    match u32::from(c) {
        0xa0..=0xbf | 0x2000..=0x22ff | 0x3000..=0x303f | 0xff00..=0xffef => WHOLE,
        0x370..=0x3ff => 42,                     // Greek
        0x400..=0x52f => 26,                     // Cyrillic
        0x590..=0x5ff => 40,                     // Hebrew
        0x600..=0x6ff => 28,                     // Arabic
        0x900..=0xdff => 36,                     // scripts of India
        0xe00..=0xeff => 38,                     // Thai, Lao
        0x2500..=0x257f => 50,                   // boxes
        0x3040..=0x30ff => 64,                   // kana
        0x3400..=0x9fff | 0xac00..=0xd7a3 => 66, // ideographs, Hangul
        _ => 2 * WHOLE,
    }
}

/// What stands right before a word and becomes part of its first token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Space,
    Mark,
    Digit,
}

/// One word, or one hump of a word in camel case.
fn word(chars: &mut Chars<'_>, before: Before) -> usize {
    let upper = chars.skip(|c| c.is_uppercase() && class(c) == Class::Letter);
    let (mut lower, mut run, mut longest, mut accents) = (0, 0, 0, 0);
    while let Some(c) = chars.peek().filter(|c| class(*c) == Class::Letter && !c.is_uppercase()) {
        lower += 1;
        let is_vowel = matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y');
        run = if !c.is_ascii() || is_vowel { 0 } else { run + 1 };
        longest = longest.max(run);
        accents += accent(c);
        chars.next();
    }
    let length = upper + lower;
    let cost = if longest > 4 {
        length * 50
    } else if length > 14 {
        length * 26
    } else if upper > 1 {
        WHOLE + (length - 2) * 26 + lower.min(1) * 30
    } else {
        match before {
            Before::Digit => WHOLE + length.saturating_sub(1) * 15,
            Before::Space => WHOLE + length.saturating_sub(5) * 7,
            Before::Nothing => WHOLE + length.saturating_sub(5) * 18,
            Before::Mark => 105 + length.saturating_sub(4) * 18,
        }
    };
    cost + accents
}

/// What a letter with an accent adds to a word: it is a sign of a language with fewer words in the vocabulary.
fn accent(c: char) -> usize {
    match u32::from(c) {
        0..0x80 => 0,
        0x80..0x100 => 45,
        0x100..0x1a0 => 110,
        _ => 8,
    }
}

fn digits(chars: &mut Chars<'_>) -> usize {
    let cost = chars.skip(|c| c.is_ascii_digit()).div_ceil(3) * WHOLE;
    let is_within = chars.peek().map(class) == Some(Class::Letter);
    cost + if is_within { word(chars, Before::Digit) } else { 0 }
}

/// Line ends with what is before them, then spaces, of which the last belongs to a word or a mark after them.
fn space(chars: &mut Chars<'_>) -> usize {
    let (mut lines, mut after, mut last) = (false, 0, ' ');
    while let Some(c) = chars.peek().filter(char::is_ascii_whitespace) {
        (lines, after) = if c == '\n' || c == '\r' { (true, 0) } else { (lines, after + 1) };
        last = c;
        chars.next();
    }
    let mut cost = if lines { WHOLE } else { 0 };
    if after > 0 {
        let joins = match chars.peek().map(class) {
            Some(Class::Letter | Class::Foreign(_)) => true,
            Some(Class::Mark) => last == ' ',
            _ => false,
        };
        cost += if after > 1 { WHOLE } else { 0 } + if joins { 0 } else { WHOLE };
        if joins && chars.peek().map(class) == Some(Class::Letter) {
            cost += word(chars, Before::Space);
        }
    }
    cost
}

/// Punctuation up to the next word, with line ends after it; a single mark right before a word belongs to it.
fn marks(chars: &mut Chars<'_>) -> usize {
    let (mut length, mut changes) = (0_usize, 0_usize);
    let mut last = None;
    while let Some(c) = chars.peek().filter(|c| class(*c) == Class::Mark) {
        length += 1;
        changes += usize::from(last.is_some_and(|last| last != c));
        last = Some(c);
        chars.next();
    }
    if length == 1 && chars.peek().map(class) == Some(Class::Letter) {
        return word(chars, Before::Mark);
    }
    chars.skip(|c| c == '\n' || c == '\r');
    let same = length - 1 - changes;
    WHOLE + changes.saturating_sub(1) * 45 + same.saturating_sub(3) * 6
}

fn foreign(chars: &mut Chars<'_>) -> usize {
    let mut cost = 0;
    while let Some(Class::Foreign(one)) = chars.peek().map(class) {
        cost += one;
        chars.next();
    }
    cost.max(WHOLE)
}

/// A text being read.
struct Chars<'a> {
    rest: &'a str,
}

impl Chars<'_> {
    #[inline]
    fn peek(&self) -> Option<char> {
        match self.rest.as_bytes().first() {
            Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
            _ => self.rest.chars().next(),
        }
    }

    #[inline]
    fn next(&mut self) {
        let mut chars = self.rest.chars();
        chars.next();
        self.rest = chars.as_str();
    }

    /// Skips characters of one sort and counts them.
    fn skip(&mut self, is_one: impl Fn(char) -> bool) -> usize {
        let mut count = 0;
        while self.peek().is_some_and(&is_one) {
            self.next();
            count += 1;
        }
        count
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
            ("fn x() {\n        y();\n}\n", 9),
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
