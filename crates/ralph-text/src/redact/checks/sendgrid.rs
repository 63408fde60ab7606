//! SendGrid keys: `SG.`, an id, a dot, the secret.

use crate::redact::{
    alphabet::Alphabet::Token,
    window::{Short, Verdict, Window},
};

/// Longer ones are no keys.
const LONGEST: usize = 2048;

pub(in crate::redact) fn check(window: &Window<'_>) -> Verdict {
    if window.anchor() != b"SG." {
        return Verdict::No;
    }
    let id = match window.short_run(window.after, Token, 32) {
        Short::Ends(end) => end,
        Short::TooLong => return Verdict::No,
        Short::More => return Verdict::More,
    };
    match (id - window.after, window.byte(id)) {
        (16.., Some(b'.')) => {}
        (16.., None) => return window.at_end(),
        _ => return Verdict::No,
    }
    match window.short_run(id + 1, Token, LONGEST) {
        Short::More => Verdict::More,
        Short::Ends(end) if end - id > 30 => Verdict::Found(window.start, end),
        Short::Ends(_) | Short::TooLong => Verdict::No,
    }
}
