//! Secrets of one vendor that are told by their shape: an anchor, then parts of known lengths.

use crate::redact::{
    alphabet::Alphabet::{self, Base64, Path, Token},
    window::{Miss, Verdict, Window},
};

/// Longer ones are no secrets.
const LONGEST: usize = 2048;

/// Keys of Google's interfaces: 39 bytes, which could also stand inside any long base64 text.
pub(in crate::redact) fn google(window: &Window<'_>) -> Verdict {
    holds(window.anchor() == b"AIza" && window.begins_word())?;
    Ok((window.start, part(window, window.after, Token, (35, 40))?))
}

/// SendGrid keys: `SG.`, an id, a dot, the secret.
pub(in crate::redact) fn sendgrid(window: &Window<'_>) -> Verdict {
    holds(window.anchor() == b"SG.")?;
    let secret = after_dot(window, part(window, window.after, Token, (16, 32))?)?;
    Ok((window.start, part(window, secret, Token, (30, LONGEST))?))
}

/// Telegram bots: the number is public, what follows the colon is not.
pub(in crate::redact) fn telegram(window: &Window<'_>) -> Verdict {
    let before = window.slice(window.start.saturating_sub(10), window.start);
    let digits = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    holds(window.anchor() == b":AA" && digits >= 8)?;
    Ok((window.start + 1, part(window, window.after, Token, (30, 40))?))
}

/// Discord bots: a user's number in base64, a time, a signature.
pub(in crate::redact) fn discord(window: &Window<'_>) -> Verdict {
    let is_start = matches!(window.byte(window.start), Some(b'M' | b'N' | b'O'));
    holds(is_start && window.begins_word())?;
    let time = after_dot(window, part(window, window.start, Token, (22, 30))?)?;
    let signature = after_dot(window, part(window, time, Token, (5, 8))?)?;
    Ok((window.start, part(window, signature, Token, (26, 48))?))
}

/// The first four digits of base64 that a decimal number gives.
pub(in crate::redact) fn discord_starts() -> Vec<String> {
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

/// Keys in connection strings of Azure.
pub(in crate::redact) fn azure(window: &Window<'_>) -> Verdict {
    match window.byte(window.after) {
        Some(b'=') => {
            let key = window.after + 1;
            Ok((key, part(window, key, Base64, (40, LONGEST))?))
        }
        None => Err(window.at_end()),
        Some(_) => Err(Miss::No),
    }
}

/// Addresses that are secrets themselves: whoever knows one may post.
pub(in crate::redact) fn webhook(window: &Window<'_>) -> Verdict {
    let end = part(window, window.after, Path, (36, LONGEST))?;
    let path = window.slice(window.after, end);
    let kept = path.iter().rev().take_while(|byte| **byte == b'\\').count();
    let digits = path.iter().filter(|byte| byte.is_ascii_digit()).count();
    holds(digits >= 4 && path.contains(&b'/'))?;
    Ok((window.after, end - kept))
}

/// JSON web tokens: parts of base64 joined by dots, the first of which opens a JSON object.
pub(in crate::redact) fn jwt(window: &Window<'_>) -> Verdict {
    holds(window.anchor() == b"eyJ" && window.begins_word())?;
    let (mut at, mut parts, mut end) = (window.start, 0, window.start);
    loop {
        let part = window.run(at, Token)?;
        if part - at < 8 {
            break;
        }
        (end, parts) = (part, parts + 1);
        match window.byte(part) {
            Some(b'.') if parts < 5 => at = part + 1,
            _ => break,
        }
    }
    holds(parts >= 2)?;
    Ok((window.start, end))
}

fn holds(is_so: bool) -> Result<(), Miss> {
    if is_so { Ok(()) } else { Err(Miss::No) }
}

/// Where a part of so many bytes ends.
fn part(
    window: &Window<'_>,
    from: usize,
    alphabet: Alphabet,
    (least, most): (usize, usize),
) -> Result<usize, Miss> {
    let end = window.short_run(from, alphabet, most)?;
    holds(end - from >= least)?;
    Ok(end)
}

fn after_dot(window: &Window<'_>, at: usize) -> Result<usize, Miss> {
    holds(window.byte(at) == Some(b'.'))?;
    Ok(at + 1)
}
