//! Keys in connection strings of Azure.

use crate::redact::window::{Verdict, Window, is_base64};

pub(in crate::redact) fn check(window: &Window<'_>) -> Verdict {
    match window.byte(window.after) {
        Some(b'=') => {}
        None => return window.at_end(),
        Some(_) => return Verdict::No,
    }
    match window.run(window.after + 1, is_base64) {
        None => Verdict::More,
        Some(end) if end - window.after > 40 => Verdict::Found(window.after + 1, end),
        Some(_) => Verdict::No,
    }
}
