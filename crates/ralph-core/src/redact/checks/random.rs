//! Whether a text looks drawn at random, and not like a word, a name or a stand-in.

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

/// More than a few different bytes.
pub(in crate::redact) fn has_variety(text: &[u8]) -> bool {
    distinct(text) >= 5.min(text.len())
}

/// Letters and digits mixed, spread as chance would spread them, and more than a name with a number.
pub(in crate::redact) fn is_random(text: &[u8], least: usize, bits: f64) -> bool {
    let has = |is: fn(&u8) -> bool| text.iter().any(is);
    text.len() >= least
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && entropy(text) >= bits
        && !is_name_like(text)
}

/// A value that documentation and tests put where a secret would be.
pub(in crate::redact) fn is_stand_in(text: &[u8]) -> bool {
    let lower = String::from_utf8_lossy(text).to_ascii_lowercase();
    STAND_INS.iter().any(|word| lower.contains(word)) || counts_up(text) || distinct(text) < 6
}

/// Words and short numbers joined by dots, dashes or underlines.
fn is_name_like(text: &[u8]) -> bool {
    let is_word = |part: &[u8]| {
        let number = part.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let letters = part.get(..part.len() - number).unwrap_or_default();
        number <= 4 && letters.len() <= 20 && letters.iter().all(u8::is_ascii_alphabetic)
    };
    text.split(|byte| matches!(byte, b'-' | b'_' | b'.' | b'/' | b':')).all(is_word)
}

/// `12345678`, `abcdefgh` and the like.
fn counts_up(text: &[u8]) -> bool {
    let steps = text.windows(2).filter(|pair| pair[1] == pair[0].wrapping_add(1)).count();
    steps * 2 >= text.len()
}

fn distinct(text: &[u8]) -> usize {
    let mut seen = [false; 256];
    for byte in text {
        seen[usize::from(*byte)] = true;
    }
    seen.iter().filter(|seen| **seen).count()
}

/// Bits for each byte, by how often each occurs.
#[expect(clippy::cast_precision_loss, reason = "lengths are small")]
fn entropy(text: &[u8]) -> f64 {
    let mut counts = [0_usize; 256];
    for byte in text {
        counts[usize::from(*byte)] += 1;
    }
    let length = text.len() as f64;
    let share = |count: &usize| {
        let part = *count as f64 / length;
        -part * part.log2()
    };
    counts.iter().filter(|count| **count > 0).map(share).sum()
}
