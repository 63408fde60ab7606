//! Discord bots: a user's number in base64, a time, a signature.

use crate::redact::{
    alphabet::Alphabet::Token,
    window::{Short, Verdict, Window},
};

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
    let mut at = window.start;
    for (least, longest) in [(22, 30), (5, 8)] {
        let end = match window.short_run(at, Token, longest) {
            Short::Ends(end) => end,
            Short::TooLong => return Verdict::No,
            Short::More => return Verdict::More,
        };
        match window.byte(end) {
            Some(b'.') if end - at >= least => at = end + 1,
            None if end - at >= least => return window.at_end(),
            _ => return Verdict::No,
        }
    }
    match window.short_run(at, Token, 48) {
        Short::More => Verdict::More,
        Short::Ends(end) if end - at >= 26 => Verdict::Found(window.start, end),
        Short::Ends(_) | Short::TooLong => Verdict::No,
    }
}
