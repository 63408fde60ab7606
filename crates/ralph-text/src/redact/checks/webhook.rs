//! Addresses that are secrets themselves: whoever knows one may post.

use crate::redact::{
    alphabet::Alphabet,
    window::{Short, Verdict, Window},
};

/// Longer ones are no addresses.
const LONGEST: usize = 2048;

pub(in crate::redact) fn check(window: &Window<'_>) -> Verdict {
    let end = match window.short_run(window.after, Alphabet::Path, LONGEST) {
        Short::Ends(end) => end,
        Short::TooLong => return Verdict::No,
        Short::More => return Verdict::More,
    };
    let path = window.slice(window.after, end);
    let kept = path.iter().rev().take_while(|byte| **byte == b'\\').count();
    let has_digits = path.iter().filter(|byte| byte.is_ascii_digit()).count() >= 4;
    if path.len() >= 36 && has_digits && path.contains(&b'/') {
        Verdict::Found(window.after, end - kept)
    } else {
        Verdict::No
    }
}
