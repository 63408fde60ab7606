//! Credentials in headers of requests.

use super::random::Tail;
use crate::redact::{
    alphabet::Alphabet::Credential,
    window::{Care, Short, Verdict, Window},
};

const SCHEMES: [&str; 6] = ["bearer", "basic", "token", "apikey", "digest", "negotiate"];
/// Longer ones are no credentials. Less than may be held back.
const LONGEST: usize = 12 << 10;

/// `Authorization: Bearer …` and what programs make of it.
pub(in crate::redact) fn check(window: &Window<'_>) -> Verdict {
    let at = skip(window, window.after, b"\"'\\ ");
    match window.byte(at) {
        None => return window.at_end(),
        Some(b':' | b'=') => {}
        Some(_) => return Verdict::No,
    }
    let at = skip(window, at + 1, b"\"'\\ ");
    let word = match window.short_run(at, Credential, LONGEST) {
        Short::Ends(end) => end,
        Short::TooLong => return Verdict::No,
        Short::More => return Verdict::More,
    };
    let first = window.slice(at, word);
    if !SCHEMES.iter().any(|scheme| first.eq_ignore_ascii_case(scheme.as_bytes())) {
        return credential(window, at, 16);
    }
    match window.byte(word) {
        None => window.at_end(),
        Some(b' ') => credential(window, word + 1, 8),
        Some(_) => Verdict::No,
    }
}

/// A bearer token without its header.
pub(in crate::redact) fn check_bearer(window: &Window<'_>) -> Verdict {
    credential(window, window.after, 16)
}

fn credential(window: &Window<'_>, at: usize, least: usize) -> Verdict {
    let end = match window.short_run(at, Credential, LONGEST) {
        Short::Ends(end) => end,
        Short::TooLong => return Verdict::No,
        Short::More => return Verdict::More,
    };
    let is_secret = |tail: &mut Tail| match window.care {
        Care::Logs => tail.has_digit(),
        Care::Files => tail.is_random(window.text, 16, 3.3),
    };
    if end - at >= least && window.ask((at, end), Credential, is_secret) {
        Verdict::Found(at, end)
    } else {
        Verdict::No
    }
}

fn skip(window: &Window<'_>, at: usize, which: &[u8]) -> usize {
    let rest = window.slice(at, at + 8);
    at + rest.iter().take_while(|byte| which.contains(byte)).count()
}
