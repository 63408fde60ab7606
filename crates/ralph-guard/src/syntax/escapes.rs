//! Backslash escapes of `$'…'`, `printf` and `echo -e`.

use crate::marks;

/// The text with its escapes turned into characters.
pub(crate) fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let Some(kind) = chars.next() else {
            out.push('\\');
            break;
        };
        match kind {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'a' | 'b' | 'f' | 'v' | 'c' => out.push(' '),
            'e' | 'E' => out.push('\u{1b}'),
            'x' => push_code(&mut out, &mut chars, 16, 2),
            'u' => push_code(&mut out, &mut chars, 16, 4),
            'U' => push_code(&mut out, &mut chars, 16, 8),
            '0'..='7' => {
                let mut digits = String::from(kind);
                let most = if kind == '0' { 4 } else { 3 };
                while digits.len() < most {
                    match chars.next_if(|c| c.is_digit(8)) {
                        Some(digit) => digits.push(digit),
                        None => break,
                    }
                }
                push_char(&mut out, &digits, 8);
            }
            '\\' | '\'' | '"' | '?' => out.push(kind),
            other => {
                out.push('\\');
                out.push(other);
            }
        }
    }
    out
}

fn push_code(
    out: &mut String,
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    radix: u32,
    most: usize,
) {
    let mut digits = String::new();
    while digits.len() < most {
        match chars.next_if(|c| c.is_digit(radix)) {
            Some(digit) => digits.push(digit),
            None => break,
        }
    }
    push_char(out, &digits, radix);
}

fn push_char(out: &mut String, digits: &str, radix: u32) {
    if let Some(c) = u32::from_str_radix(digits, radix).ok().and_then(char::from_u32) {
        out.push(if marks::is_sign(c) { marks::HOLE } else { c });
    }
}
