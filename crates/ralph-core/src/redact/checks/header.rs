//! Credentials in headers of requests.

use super::random;
use crate::redact::window::{Care, Verdict, Window, is_credential};

const SCHEMES: [&str; 6] = ["bearer", "basic", "token", "apikey", "digest", "negotiate"];

/// `Authorization: Bearer …` and what programs make of it.
pub(in crate::redact) fn check(window: &Window<'_>) -> Verdict {
    let at = skip(window, window.after, b"\"'\\ ");
    match window.byte(at) {
        None => return window.at_end(),
        Some(b':' | b'=') => {}
        Some(_) => return Verdict::No,
    }
    let at = skip(window, at + 1, b"\"'\\ ");
    let Some(word) = window.run(at, is_credential) else {
        return Verdict::More;
    };
    let first = String::from_utf8_lossy(window.slice(at, word)).to_ascii_lowercase();
    if !SCHEMES.contains(&first.as_str()) {
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
    let Some(end) = window.run(at, is_credential) else {
        return Verdict::More;
    };
    let value = window.slice(at, end);
    let is_secret = match window.care {
        Care::Logs => value.len() >= least && value.iter().any(u8::is_ascii_digit),
        Care::Files => random::is_random(value, 16, 3.3),
    };
    if is_secret { Verdict::Found(at, end) } else { Verdict::No }
}

fn skip(window: &Window<'_>, at: usize, which: &[u8]) -> usize {
    let rest = window.slice(at, at + 8);
    at + rest.iter().take_while(|byte| which.contains(byte)).count()
}
