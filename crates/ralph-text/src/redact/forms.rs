//! The forms in which one known value may appear: as it is, escaped, quoted, encoded.

use std::{collections::BTreeSet, fmt::Write as _};

/// Shorter values are too common in ordinary text.
pub(super) const SHORTEST: usize = 8;
/// Longer values are taken in pieces of this size.
const PIECE: usize = 1 << 10;
/// Lines of a value with several lines count on their own from this length on.
const LINE: usize = 24;
const ORDINARY: [&str; 10] = [
    "disabled",
    "development",
    "production",
    "undefined",
    "localhost",
    "password",
    "enabled1",
    "changeme",
    "xterm-256color",
    "truecolor",
];

/// Every form of a value; none if it is too short or too ordinary to be told from other text.
pub(super) fn of(value: &str) -> BTreeSet<Vec<u8>> {
    let mut forms = BTreeSet::new();
    let value = value.trim();
    if !is_telling(value) {
        return forms;
    }
    for piece in pieces(value) {
        encoded(piece, &mut forms);
    }
    forms.retain(|form| form.len() >= SHORTEST);
    forms
}

/// A number would take digits out of numbers, an ordinary word would take words out of sentences.
fn is_telling(value: &str) -> bool {
    let is_number =
        value.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'-'));
    let has_variety = value.bytes().collect::<BTreeSet<u8>>().len() >= 4;
    value.chars().count() >= SHORTEST
        && !is_number
        && has_variety
        && !ORDINARY.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// The whole, or its parts where it is long, and the long lines of several.
fn pieces(value: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = value;
    while rest.len() > 2 * PIECE {
        let (piece, other) = rest.split_at(rest.floor_char_boundary(PIECE));
        pieces.push(piece);
        rest = other;
    }
    pieces.push(rest);
    if value.contains('\n') {
        let is_dull = |line: &&str| line.len() < LINE || line.starts_with("-----");
        pieces.extend(value.lines().map(str::trim).filter(|line| !is_dull(line)));
    }
    pieces
}

fn encoded(value: &str, forms: &mut BTreeSet<Vec<u8>>) {
    let mut plain: BTreeSet<String> = BTreeSet::from([value.to_owned()]);
    plain.extend([shell_single(value), shell_double(value), shell_backslash(value)]);
    let mut once: BTreeSet<String> = BTreeSet::new();
    for text in &plain {
        once.extend([json(text), json_ascii(text), json(text).replace('/', "\\/")]);
    }
    let twice: Vec<String> = once.iter().map(|text| json(text)).collect();
    let mut all: Vec<String> = plain.into_iter().chain(once).chain(twice).collect();
    all.extend([percent(value, "%20"), percent(value, "+"), hex(value, ""), hex(value, "%")]);
    forms.extend(all.into_iter().map(String::into_bytes));
    for shift in 0..3 {
        let standard = base64(value.as_bytes(), shift);
        let url_safe = standard.replace('+', "-").replace('/', "_");
        forms.extend([standard.replace('/', "\\/"), standard, url_safe].map(String::into_bytes));
    }
}

fn json(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap_or_default();
    quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(&quoted).to_owned()
}

/// As encoders write it that keep to ASCII.
fn json_ascii(text: &str) -> String {
    let mut out = String::new();
    for c in json(text).chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

fn shell_single(text: &str) -> String {
    text.replace('\'', "'\\''")
}

fn shell_double(text: &str) -> String {
    escaped(text, |c| matches!(c, '"' | '\\' | '$' | '`'))
}

fn shell_backslash(text: &str) -> String {
    escaped(text, |c| c.is_ascii() && !c.is_ascii_alphanumeric() && !"_-./:=@%+,".contains(c))
}

fn escaped(text: &str, needs: impl Fn(char) -> bool) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if needs(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn percent(text: &str, space: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else if byte == b' ' {
            out.push_str(space);
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

fn hex(text: &str, before: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{before}{byte:02x}");
        out
    })
}

/// The digits that depend on nothing but the value, if so many other bytes stand before it in what is encoded.
fn base64(value: &[u8], shift: usize) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    let (mut bits, mut held) = (0_u32, 8 * shift % 6);
    // What stands before leaves some bits over: the digit that they share with the value is not ours.
    let mut is_shared = held > 0;
    for byte in value {
        bits = (bits << 8 | u32::from(*byte)) & 0xffff;
        held += 8;
        while held >= 6 {
            held -= 6;
            let digit = (bits >> held) & 63;
            if !std::mem::take(&mut is_shared) {
                out.push(DIGITS.get(digit as usize).copied().map_or('A', char::from));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_a_value_stands_in_the_base64_of_any_text_around_it() {
        assert_eq!(base64(b"hello world!", 0), "aGVsbG8gd29ybGQh");
        // printf 'x:hello world!' | base64 and printf 'xy:…'
        assert!("eDpoZWxsbyB3b3JsZCE=".contains(&base64(b"hello world!", 2)));
        assert!("eGhlbGxvIHdvcmxkIQ==".contains(&base64(b"hello world!", 1)));
        assert!("eHk6aGVsbG8gd29ybGQh".contains(&base64(b"hello world!", 3)));
        assert_eq!(base64(b"hello world!", 1).len(), 15);
    }

    #[test]
    fn ordinary_values_have_no_forms() {
        for value in ["true", "short1", "12345678", "production", "aaaaaaaaaa", "1700000000.5"] {
            assert!(of(value).is_empty(), "{value}");
        }
        assert!(!of("hunter2-hunter3").is_empty());
    }
}
