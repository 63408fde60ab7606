//! SendGrid keys: `SG.`, an id, a dot, the secret.

use crate::redact::window::{Verdict, Window, is_token};

pub(in crate::redact) fn check(window: &Window<'_>) -> Verdict {
    if window.anchor() != b"SG." {
        return Verdict::No;
    }
    let Some(id) = window.run(window.after, is_token) else {
        return Verdict::More;
    };
    match (id - window.after, window.byte(id)) {
        (16..=32, Some(b'.')) => {}
        (16..=32, None) => return window.at_end(),
        _ => return Verdict::No,
    }
    match window.run(id + 1, is_token) {
        None => Verdict::More,
        Some(end) if end - id > 30 => Verdict::Found(window.start, end),
        Some(_) => Verdict::No,
    }
}
