//! Keys of Google's interfaces: 39 bytes, which could also stand inside any long base64 text.

use crate::redact::window::{Verdict, Window, is_token};

pub(in crate::redact) fn check(window: &Window<'_>) -> Verdict {
    if window.anchor() != b"AIza" || !window.begins_word() {
        return Verdict::No;
    }
    match window.run(window.after, is_token) {
        None => Verdict::More,
        Some(end) if (35..=40).contains(&(end - window.after)) => Verdict::Found(window.start, end),
        Some(_) => Verdict::No,
    }
}
