//! Encodings that hide a text from a reader but not from a machine.

use super::super::marks;

/// The text that is encoded in base64, if it is one.
pub(super) fn base64(text: &str) -> Option<String> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let text = text.trim_end_matches('=');
    if text.is_empty() || text.len() > 8192 {
        return None;
    }
    let mut bytes = Vec::new();
    let (mut buffer, mut bits) = (0_u32, 0_u32);
    for c in text.bytes() {
        let digit = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        buffer = (buffer << 6 | u32::from(digit)) & 0xff_ffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(buffer >> bits & 0xff).ok()?);
        }
    }
    readable(bytes)
}

/// The text whose bytes are written as hexadecimal digits.
pub(super) fn hex(text: &str) -> Option<String> {
    let digits: Vec<u32> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16))
        .collect::<Option<_>>()?;
    if digits.is_empty() || digits.len() % 2 == 1 || digits.len() > 8192 {
        return None;
    }
    let pairs = digits.chunks(2);
    let bytes = pairs.map(|pair| u8::try_from(pair.iter().fold(0, |sum, d| sum * 16 + d)).ok());
    readable(bytes.collect::<Option<_>>()?)
}

/// The text whose characters have these numbers.
pub(super) fn characters(numbers: &[String]) -> Option<String> {
    let parse = |text: &String| match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.trim().parse::<u32>().ok(),
    };
    let is_plain = |c: &char| !marks::is_sign(*c);
    numbers.iter().map(|text| parse(text).and_then(char::from_u32).filter(is_plain)).collect()
}

/// Letters moved by half the alphabet.
pub(super) fn rot13(text: &str) -> String {
    let turn = |c: char, first: u8| {
        let index = u32::from(c) - u32::from(first);
        char::from_u32((index + 13) % 26 + u32::from(first)).unwrap_or(c)
    };
    text.chars()
        .map(|c| match c {
            'a'..='z' => turn(c, b'a'),
            'A'..='Z' => turn(c, b'A'),
            _ => c,
        })
        .collect()
}

/// The text from its end to its beginning.
pub(super) fn reversed(text: &str) -> String {
    text.chars().rev().collect()
}

fn readable(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    let is_plain = |c: char| !marks::is_sign(c) && (!c.is_control() || c.is_whitespace());
    text.chars().all(is_plain).then_some(text)
}
