//! Keys of Google's interfaces: 39 bytes, which could also stand inside any long base64 text.

use crate::redact::{
    alphabet::Alphabet::Token,
    window::{Short, Verdict, Window},
};

pub(in crate::redact) fn check(window: &Window<'_>) -> Verdict {
    if window.anchor() != b"AIza" || !window.begins_word() {
        return Verdict::No;
    }
    match window.short_run(window.after, Token, 40) {
        Short::More => Verdict::More,
        Short::Ends(end) if end - window.after >= 35 => Verdict::Found(window.start, end),
        Short::Ends(_) | Short::TooLong => Verdict::No,
    }
}
