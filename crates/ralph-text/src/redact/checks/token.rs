//! A prefix and a run of its alphabet.

use super::random::Tail;
use crate::redact::{
    prefixes::Prefix,
    window::{Miss, Verdict, Window},
};

/// Longer runs are no tokens.
const LONGEST: usize = 2048;

pub(in crate::redact) fn check(prefix: &Prefix, window: &Window<'_>) -> Verdict {
    let from = window.start + prefix.begins.len();
    if window.slice(window.start, from) != prefix.begins.as_bytes() {
        return Err(Miss::No);
    }
    let end = window.short_run(from, prefix.alphabet, LONGEST)?;
    let length = end - from;
    let is_exact = prefix.least == 16 && prefix.begins.len() == 4 || prefix.begins == "SK";
    let fits = if is_exact { length == prefix.least } else { length >= prefix.least };
    // A prefix of letters and a dash can end an ordinary word; a token has digits.
    let is_telling =
        |tail: &mut Tail| (tail.has_digit() || length >= 30) && tail.has_variety(window.text);
    if fits && window.ask((from, end), prefix.alphabet, is_telling) {
        Ok((window.start, end))
    } else {
        Err(Miss::No)
    }
}
