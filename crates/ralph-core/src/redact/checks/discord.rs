//! Discord bots: a user's number in base64, a time, a signature.

use crate::redact::window::{Verdict, Window, is_token};

/// The first four digits of base64 that a decimal number gives.
pub(in crate::redact) fn starts() -> Vec<String> {
    let firsts = ["MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"];
    let thirds = ["A", "E", "I", "M", "Q", "U", "Y", "c", "g", "k"];
    let fourths = ["w", "x", "y", "z", "0", "1", "2", "3", "4", "5"];
    let mut all = Vec::new();
    for first in firsts {
        for third in thirds {
            all.extend(fourths.map(|fourth| format!("{first}{third}{fourth}")));
        }
    }
    all
}

pub(in crate::redact) fn check(window: &Window<'_>) -> Verdict {
    let is_start = matches!(window.byte(window.start), Some(b'M' | b'N' | b'O'));
    if !is_start || !window.begins_word() {
        return Verdict::No;
    }
    let Some(user) = window.run(window.start, is_token) else {
        return Verdict::More;
    };
    if !(22..=30).contains(&(user - window.start)) {
        return Verdict::No;
    }
    match window.byte(user) {
        Some(b'.') => {}
        None => return window.at_end(),
        Some(_) => return Verdict::No,
    }
    let Some(time) = window.run(user + 1, is_token) else {
        return Verdict::More;
    };
    match (time - user - 1, window.byte(time)) {
        (5..=8, Some(b'.')) => {}
        (5..=8, None) => return window.at_end(),
        _ => return Verdict::No,
    }
    match window.run(time + 1, is_token) {
        None => Verdict::More,
        Some(end) if (26..=48).contains(&(end - time - 1)) => Verdict::Found(window.start, end),
        Some(_) => Verdict::No,
    }
}
