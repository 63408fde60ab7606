//! Backslash escapes of `$'…'`, `printf` and `echo -e`.

use crate::marks;

/// The text with its escapes turned into characters.
pub(crate) fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let Some(kind) = chars.next_if(|_| c == '\\') else {
            out.push(c);
            continue;
        };
        let (radix, most) = match kind {
            'x' => (16, 2),
            'u' => (16, 4),
            'U' => (16, 8),
            '0' => (8, 3),
            '1'..='7' => (8, 2),
            _ => (0, 0),
        };
        let mut digits = if radix == 8 { kind.to_string() } else { String::new() };
        let most = digits.len() + most;
        while digits.len() < most
            && let Some(digit) = chars.next_if(|c| c.is_digit(radix))
        {
            digits.push(digit);
        }
        match kind {
            _ if radix > 0 => out.extend(code(&digits, radix)),
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'a' | 'b' | 'f' | 'v' | 'c' => out.push(' '),
            'e' | 'E' => out.push('\u{1b}'),
            '\\' | '\'' | '"' | '?' => out.push(kind),
            other => out.extend(['\\', other]),
        }
    }
    out
}

/// The character of a number; one of the guard's own signs is only something unknown.
fn code(digits: &str, radix: u32) -> Option<char> {
    let c = u32::from_str_radix(digits, radix).ok().and_then(char::from_u32)?;
    Some(if marks::is_sign(c) { marks::HOLE } else { c })
}
