//! JSON web tokens: parts of base64 joined by dots, the first of which opens a JSON object.

use crate::redact::{
    alphabet::Alphabet::Token,
    window::{Verdict, Window},
};

const LEAST: usize = 8;

pub(in crate::redact) fn check(window: &Window<'_>) -> Verdict {
    if window.anchor() != b"eyJ" || !window.begins_word() {
        return Verdict::No;
    }
    let (mut at, mut parts, mut end) = (window.start, 0, window.start);
    loop {
        let Some(part) = window.run(at, Token) else {
            return Verdict::More;
        };
        if part - at < LEAST {
            break;
        }
        (end, parts) = (part, parts + 1);
        match window.byte(part) {
            Some(b'.') if parts < 5 => at = part + 1,
            _ => break,
        }
    }
    if parts >= 2 { Verdict::Found(window.start, end) } else { Verdict::No }
}
