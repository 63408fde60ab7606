//! Values that are given to something that is called a secret: `password=…`, `"api_key": "…"`.

use super::random;
use crate::redact::window::{Care, Verdict, Window, is_name};

/// Longest rest of a name after its telling word.
const NAME: usize = 32;
const LONGEST: usize = 2048;

pub(in crate::redact) fn check(window: &Window<'_>) -> Verdict {
    let Some(name) = window.run(window.after, is_name) else {
        let is_long = window.text.len() - window.after > NAME;
        return if is_long { Verdict::No } else { Verdict::More };
    };
    if name - window.after > NAME {
        return Verdict::No;
    }
    let at = skip(window, name, b"\"'\\ \t]");
    match window.byte(at) {
        None => return window.at_end(),
        Some(b':' | b'=') => {}
        Some(_) => return Verdict::No,
    }
    let from = skip(window, at, b":=>\"'\\ \t");
    let Some(end) = window.run(from, is_in) else {
        return if window.text.len() - from > LONGEST { Verdict::No } else { Verdict::More };
    };
    let value = window.slice(from, end);
    if is_code(window.byte(end)) || !is_secret(window, value) {
        return Verdict::No;
    }
    Verdict::Found(from, end)
}

fn is_secret(window: &Window<'_>, value: &[u8]) -> bool {
    match window.care {
        Care::Logs => random::is_random(value, 10, 2.8),
        Care::Files => {
            let name = window.word_before(32);
            let is_public = name.to_ascii_lowercase().ends_with(b"public_");
            random::is_random(value, 16, 3.5) && !value.starts_with(b"/") && !is_public
        }
    }
}

/// A call, a template or a variable follows: what stands here is no value.
fn is_code(byte: Option<u8>) -> bool {
    matches!(byte, Some(b'(' | b'{' | b'[' | b'<' | b'$'))
}

fn skip(window: &Window<'_>, at: usize, which: &[u8]) -> usize {
    let rest = window.slice(at, at + 8);
    at + rest.iter().take_while(|byte| which.contains(byte)).count()
}

fn is_in(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-+/=.~!@#%^*:".contains(&byte)
}
