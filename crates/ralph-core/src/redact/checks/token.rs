//! A prefix and a run of its alphabet.

use super::random;
use crate::redact::{
    prefixes::Prefix,
    window::{Verdict, Window},
};

/// Longer runs are no tokens.
const LONGEST: usize = 2048;

pub(in crate::redact) fn check(prefix: &Prefix, window: &Window<'_>) -> Verdict {
    let from = window.start + prefix.begins.len();
    if window.slice(window.start, from) != prefix.begins.as_bytes() {
        return Verdict::No;
    }
    let Some(end) = window.run(from, prefix.is_in) else {
        return Verdict::More;
    };
    let body = window.slice(from, end);
    let is_exact = prefix.least == 16 && prefix.begins.len() == 4 || prefix.begins == "SK";
    let fits = if is_exact { body.len() == prefix.least } else { body.len() >= prefix.least };
    // A prefix of letters and a dash can end an ordinary word; a token has digits.
    let has_digits = body.iter().any(u8::is_ascii_digit) || body.len() >= 30;
    if fits && has_digits && body.len() <= LONGEST && random::has_variety(body) {
        Verdict::Found(window.start, end)
    } else {
        Verdict::No
    }
}
