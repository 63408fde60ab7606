//! Whether a text looks drawn at random, and not like a word, a name or a stand-in.

use std::{collections::BTreeSet, sync::LazyLock};

/// Words in values that stand for a secret and are none.
const STAND_INS: [&str; 14] = [
    "example",
    "changeme",
    "placeholder",
    "your",
    "dummy",
    "sample",
    "redacted",
    "replace",
    "insert",
    "secret_here",
    "xxxx",
    "....",
    "****",
    "fake",
];
/// Longest word of a name, and most digits at its end.
const WORD: usize = 20;
const NUMBER: usize = 4;

/// What stands at the end of a stretch of text, from `from` to `end`. It can be made shorter at the cost of the bytes
/// that it loses. Bytes are counted only when somebody asks how they are spread.
#[derive(Debug)]
pub(in crate::redact) struct Tail {
    from: usize,
    end: usize,
    /// One behind the last of its kind.
    digit: usize,
    letter: usize,
    /// From here on everything is words and short numbers.
    words: usize,
    /// What is counted, from where on.
    counted: Option<usize>,
    counts: [u32; 256],
    distinct: usize,
    /// The sum of each count times its logarithm, once somebody asked for it.
    spread: Option<f64>,
}

impl Tail {
    pub(in crate::redact) fn of(text: &[u8], from: usize, end: usize) -> Self {
        let bytes = text.get(from..end).unwrap_or_default();
        let behind = |is: fn(&u8) -> bool| bytes.iter().rposition(is).map_or(0, |at| from + at + 1);
        Self {
            from,
            end,
            digit: behind(u8::is_ascii_digit),
            letter: behind(u8::is_ascii_alphabetic),
            words: from + words_from(bytes),
            counted: None,
            counts: [0; 256],
            distinct: 0,
            spread: None,
        }
    }

    /// Whether it can be shortened to this.
    pub(in crate::redact) fn covers(&self, from: usize, end: usize) -> bool {
        self.end == end && (self.from..=end).contains(&from)
    }

    /// Drops what stands before `from`.
    pub(in crate::redact) fn shorten(&mut self, from: usize) {
        self.from = from;
    }

    /// More than a few different bytes.
    pub(in crate::redact) fn has_variety(&mut self, text: &[u8]) -> bool {
        self.count(text);
        self.distinct >= 5.min(self.length())
    }

    pub(in crate::redact) fn has_digit(&self) -> bool {
        self.digit > self.from
    }

    /// Letters and digits mixed, spread as chance would spread them, and more than a name with a number.
    pub(in crate::redact) fn is_random(&mut self, text: &[u8], least: usize, bits: f64) -> bool {
        self.length() >= least
            && self.has_digit()
            && self.letter > self.from
            && self.words > self.from
            // What was shortened may be off by the last bits of a number.
            && self.entropy(text) + 1e-9 >= bits
    }

    fn length(&self) -> usize {
        self.end - self.from
    }

    /// Bits for each byte, by how often each occurs.
    #[expect(clippy::cast_precision_loss, reason = "lengths are small")]
    fn entropy(&mut self, text: &[u8]) -> f64 {
        self.count(text);
        let counts = &self.counts;
        let spread =
            self.spread.get_or_insert_with(|| counts.iter().map(|count| weight(*count)).sum());
        let length = (self.end - self.from) as f64;
        length.log2() - *spread / length
    }

    /// Brings the counts in line with where it begins.
    fn count(&mut self, text: &[u8]) {
        let Some(counted) = self.counted.replace(self.from) else {
            for byte in text.get(self.from..self.end).unwrap_or_default() {
                self.counts[usize::from(*byte)] += 1;
            }
            self.distinct = self.counts.iter().filter(|count| **count > 0).count();
            return;
        };
        for byte in text.get(counted..self.from).unwrap_or_default() {
            let count = &mut self.counts[usize::from(*byte)];
            if let Some(spread) = &mut self.spread {
                *spread -= weight(*count) - weight(count.saturating_sub(1));
            }
            *count = count.saturating_sub(1);
            self.distinct -= usize::from(*count == 0);
        }
    }
}

/// The same for a text of its own.
pub(in crate::redact) fn is_random(text: &[u8], least: usize, bits: f64) -> bool {
    text.len() >= least && Tail::of(text, 0, text.len()).is_random(text, least, bits)
}

/// A value that documentation and tests put where a secret would be.
pub(in crate::redact) fn is_stand_in(text: &[u8]) -> bool {
    let lower = String::from_utf8_lossy(text).to_ascii_lowercase();
    STAND_INS.iter().any(|word| lower.contains(word))
        || counts_up(text)
        || text.iter().collect::<BTreeSet<_>>().len() < 6
}

/// From where on a text is words and short numbers, joined by dots, dashes or underlines: 0 if all of it is.
fn words_from(text: &[u8]) -> usize {
    let mut end = text.len();
    loop {
        let before = text.get(..end).unwrap_or_default();
        let start = before
            .iter()
            .rposition(|byte| matches!(byte, b'-' | b'_' | b'.' | b'/' | b':'))
            .map_or(0, |at| at + 1);
        let word = before.get(start..).unwrap_or_default();
        match (word_from(word), start.checked_sub(1)) {
            (0, None) => return 0,
            (0, Some(joint)) => end = joint,
            (within, _) => return start + within,
        }
    }
}

/// From where on a part of a name is a word with a short number: 0 if all of it is.
fn word_from(part: &[u8]) -> usize {
    let number = part.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    if number > NUMBER {
        return part.len() - NUMBER;
    }
    let letters = part.get(..part.len() - number).unwrap_or_default();
    let last = letters.iter().rposition(|byte| !byte.is_ascii_alphabetic());
    last.map_or(0, |at| at + 1).max(letters.len().saturating_sub(WORD))
}

/// `12345678`, `abcdefgh` and the like.
fn counts_up(text: &[u8]) -> bool {
    let steps = text.windows(2).filter(|pair| pair[1] == pair[0].wrapping_add(1)).count();
    steps * 2 >= text.len()
}

/// A count times its logarithm; those of common counts are worked out once.
fn weight(count: u32) -> f64 {
    static COMMON: LazyLock<Vec<f64>> = LazyLock::new(|| (0..4096).map(work_out).collect());
    COMMON.get(count as usize).copied().unwrap_or_else(|| work_out(count))
}

fn work_out(count: u32) -> f64 {
    if count < 2 { 0.0 } else { f64::from(count) * f64::from(count).log2() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortened_tail_says_what_a_fresh_one_says() {
        let text = b"lib-Q7x2.a9Kd_name1234:part-0123456789ab/cdefghijklmnopqrstuvwxyz==";
        let mut tail = Tail::of(text, 0, text.len());
        for from in 0..text.len() {
            tail.shorten(from);
            let mut fresh = Tail::of(text, from, text.len());
            tail.count(text);
            fresh.count(text);
            assert_eq!(tail.distinct, fresh.distinct, "{from}");
            assert_eq!(tail.has_digit(), fresh.has_digit(), "{from}");
            assert_eq!(tail.words > from, fresh.words > from, "{from}");
            assert!((tail.entropy(text) - fresh.entropy(text)).abs() < 1e-9, "{from}");
        }
    }

    #[test]
    fn names_with_numbers_are_not_random() {
        for name in ["part-one-2", "a.b.c1234", "module/name_1", "abcdefghijklmnopqrst9"] {
            assert_eq!(words_from(name.as_bytes()), 0, "{name}");
        }
        for other in ["a12345", "a1b2", "abcdefghijklmnopqrstu", "one-a1b-two"] {
            assert!(words_from(other.as_bytes()) > 0, "{other}");
        }
    }
}
