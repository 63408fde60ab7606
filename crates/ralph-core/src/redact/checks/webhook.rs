//! Addresses that are secrets themselves: whoever knows one may post.

use crate::redact::window::{Verdict, Window, is_token};

pub(in crate::redact) fn check(window: &Window<'_>) -> Verdict {
    let is_in = |byte: u8| is_token(byte) || byte == b'/' || byte == b'\\';
    let Some(end) = window.run(window.after, is_in) else {
        return Verdict::More;
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
