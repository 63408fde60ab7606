//! Values that are given to something that is called a secret: `password=…`, `"api_key": "…"`.

use super::random::Tail;
use crate::redact::{
    alphabet::Alphabet,
    window::{Care, Miss, Verdict, Window},
};

/// Longest rest of a name after its telling word.
const NAME: usize = 32;
const LONGEST: usize = 2048;

pub(in crate::redact) fn check(window: &Window<'_>) -> Verdict {
    let name = window.short_run(window.after, Alphabet::Name, NAME)?;
    let at = window.skip(name, b"\"'\\ \t]");
    match window.byte(at) {
        None => return Err(window.at_end()),
        Some(b':' | b'=') => {}
        Some(_) => return Err(Miss::No),
    }
    let from = window.skip(at, b":=>\"'\\ \t");
    let end = window.short_run(from, Alphabet::Assigned, LONGEST)?;
    if is_code(window.byte(end)) || !is_secret(window, from, end) {
        return Err(Miss::No);
    }
    Ok((from, end))
}

fn is_secret(window: &Window<'_>, from: usize, end: usize) -> bool {
    let (least, bits) = match window.care {
        Care::Logs => (10, 2.8),
        Care::Files => (16, 3.5),
    };
    let is_random = |tail: &mut Tail| tail.is_random(window.text, least, bits);
    let is_ordinary = || {
        let is_public = window.word_before(32).to_ascii_lowercase().ends_with(b"public_");
        window.care == Care::Files && (window.byte(from) == Some(b'/') || is_public)
    };
    window.ask((from, end), Alphabet::Assigned, is_random) && !is_ordinary()
}

/// A call, a template or a variable follows: what stands here is no value.
fn is_code(byte: Option<u8>) -> bool {
    matches!(byte, Some(b'(' | b'{' | b'[' | b'<' | b'$'))
}
