//! Credentials in headers of requests.

use super::random::Tail;
use crate::redact::{
    alphabet::Alphabet::Credential,
    window::{Care, Miss, Verdict, Window},
};

const SCHEMES: [&str; 6] = ["bearer", "basic", "token", "apikey", "digest", "negotiate"];
/// Longer ones are no credentials. Less than may be held back.
const LONGEST: usize = 12 << 10;

/// `Authorization: Bearer …` and what programs make of it.
pub(in crate::redact) fn check(window: &Window<'_>) -> Verdict {
    let at = window.skip(window.after, b"\"'\\ ");
    match window.byte(at) {
        None => return Err(window.at_end()),
        Some(b':' | b'=') => {}
        Some(_) => return Err(Miss::No),
    }
    let at = window.skip(at + 1, b"\"'\\ ");
    let word = window.short_run(at, Credential, LONGEST)?;
    let first = window.slice(at, word);
    if !SCHEMES.iter().any(|scheme| first.eq_ignore_ascii_case(scheme.as_bytes())) {
        return credential(window, at, 16);
    }
    match window.byte(word) {
        None => Err(window.at_end()),
        Some(b' ') => credential(window, word + 1, 8),
        Some(_) => Err(Miss::No),
    }
}

/// A bearer token without its header.
pub(in crate::redact) fn check_bearer(window: &Window<'_>) -> Verdict {
    credential(window, window.after, 16)
}

fn credential(window: &Window<'_>, at: usize, least: usize) -> Verdict {
    let end = window.short_run(at, Credential, LONGEST)?;
    let is_secret = |tail: &mut Tail| match window.care {
        Care::Logs => tail.has_digit(),
        Care::Files => tail.is_random(window.text, 16, 3.3),
    };
    if end - at >= least && window.ask((at, end), Credential, is_secret) {
        Ok((at, end))
    } else {
        Err(Miss::No)
    }
}
