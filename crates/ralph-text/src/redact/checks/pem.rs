//! Private keys between `BEGIN` and `END`, with real or escaped line ends, whole or cut off.

use crate::redact::{
    alphabet::Alphabet::Base64,
    window::{Miss, Verdict, Window},
};

/// Longest label between the dashes.
const LABEL: usize = 40;
/// Shortest line that can be part of a key.
const LINE: usize = 16;
/// Shortest first line: less is a word of a sentence.
const FIRST: usize = 40;
/// Most lines that say something of the key before it begins.
const HEADERS: usize = 4;

pub(in crate::redact) fn check(window: &Window<'_>) -> Verdict {
    let label = window.slice(window.after, window.after + LABEL);
    let Some(dashes) = label.windows(5).position(|five| five == b"-----") else {
        return if label.len() < LABEL { Err(window.at_end()) } else { Err(Miss::No) };
    };
    if label.get(..dashes).is_none_or(|label| find(label, b"PRIVATE KEY").is_none()) {
        return Err(Miss::No);
    }
    body(window, window.after + dashes + 5)
}

/// Reads line after line; ends with the `END` line, or with the last line that is part of a key.
fn body(window: &Window<'_>, mut at: usize) -> Verdict {
    let (mut end, mut headers) = (None, 0);
    loop {
        at = skip_separators(window, at);
        if at >= window.text.len() {
            return settled(window, end);
        }
        if window.byte(at) == Some(b'-') {
            return footer(window, at, end);
        }
        let line = window.run(at, Base64)?;
        match (line - at, window.byte(line), end) {
            // `Proc-Type: 4,ENCRYPTED` and its kind stand before the key.
            (1.., Some(b':' | b'-'), None) if headers < HEADERS => match header(window, line) {
                Some(next) => (at, headers) = (next, headers + 1),
                None => return Err(window.at_end()),
            },
            (FIRST.., _, None) | (LINE.., _, Some(_)) => {
                end = Some(line);
                at = line;
            }
            // The last line may be short; then the footer follows.
            (1.., _, Some(_)) => {
                let next = skip_separators(window, line);
                return match window.byte(next) {
                    Some(b'-') => footer(window, next, end),
                    None => settled(window, end),
                    Some(_) => found(window, end),
                };
            }
            _ => return found(window, end),
        }
    }
}

fn footer(window: &Window<'_>, at: usize, end: Option<usize>) -> Verdict {
    let rest = window.slice(at, at + 80);
    let Some(last) = end else {
        return Err(Miss::No);
    };
    if rest.len() < 9 && !window.is_whole && b"-----END ".starts_with(rest) {
        return Err(Miss::More);
    }
    if !rest.starts_with(b"-----END ") {
        return Ok((window.start, last));
    }
    match rest.get(9..).and_then(|rest| find(rest, b"-----")) {
        Some(dashes) => Ok((window.start, at + 9 + dashes + 5)),
        None if rest.len() < 80 && !window.is_whole => Err(Miss::More),
        None => Ok((window.start, last)),
    }
}

fn settled(window: &Window<'_>, end: Option<usize>) -> Verdict {
    if window.is_whole { found(window, end) } else { Err(Miss::More) }
}

fn found(window: &Window<'_>, end: Option<usize>) -> Verdict {
    end.map(|end| (window.start, end)).ok_or(Miss::No)
}

/// The end of a header line, real or escaped; `None` if there is none near.
fn header(window: &Window<'_>, at: usize) -> Option<usize> {
    let rest = window.slice(at, at + 120);
    rest.iter().position(|byte| matches!(byte, b'\n' | b'\\')).map(|length| at + length)
}

/// White space, escapes, quotes and what joins pieces of text in programs; also what a listing puts before lines.
fn skip_separators(window: &Window<'_>, mut at: usize) -> usize {
    while let Some(byte) = window.byte(at) {
        at += match byte {
            b'\\' => match window.byte(at + 1) {
                Some(b'n' | b'r' | b't' | b'"' | b'\'') => 2,
                _ => 1,
            },
            b'"' | b'\'' | b'`' | b',' | b'|' | b'>' | b'#' | b'*' => 1,
            b'+' if at_line_start(window, at) => 1,
            byte if byte.is_ascii_whitespace() => 1,
            _ => return at,
        };
    }
    at
}

/// A patch puts a sign before each line.
fn at_line_start(window: &Window<'_>, at: usize) -> bool {
    let before = window.slice(at.saturating_sub(2), at);
    before.ends_with(b"\n") || before.ends_with(b"\\n") || before.ends_with(b" ")
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted)
}
