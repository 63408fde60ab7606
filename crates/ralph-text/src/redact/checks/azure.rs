//! Keys in connection strings of Azure.

use crate::redact::{
    alphabet::Alphabet::Base64,
    window::{Short, Verdict, Window},
};

/// Longer ones are no keys.
const LONGEST: usize = 2048;

pub(in crate::redact) fn check(window: &Window<'_>) -> Verdict {
    match window.byte(window.after) {
        Some(b'=') => {}
        None => return window.at_end(),
        Some(_) => return Verdict::No,
    }
    match window.short_run(window.after + 1, Base64, LONGEST) {
        Short::More => Verdict::More,
        Short::Ends(end) if end - window.after > 40 => Verdict::Found(window.after + 1, end),
        Short::Ends(_) | Short::TooLong => Verdict::No,
    }
}
