//! Text within one line of Markdown. Line ends, spaces at the ends and what would be taken for an entity are
//! written as entities, so that every text comes back as it was.

/// Text for one line.
pub(super) fn escape(text: &str) -> String {
    let head = text.len() - text.trim_start().len();
    let tail = text.trim_end().len();
    let mut escaped = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let is_edge = at < head || at >= tail;
        if is_edge || c == '\n' || c == '\r' {
            escaped.push_str(&number(c));
        } else if c == '&' && text.get(at..).and_then(entity).is_some() {
            escaped.push_str("&amp;");
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// The same with every sign as an entity, for text that would be read as something else.
pub(super) fn escape_signs(text: &str) -> String {
    text.chars().map(|c| if c.is_alphanumeric() { c.to_string() } else { number(c) }).collect()
}

fn number(c: char) -> String {
    format!("&#{};", u32::from(c))
}

/// Text without entities.
pub(super) fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, from) = rest.split_at(at);
        plain.push_str(before);
        let (c, length) = entity(from).unwrap_or(('&', 1));
        plain.push(c);
        rest = from.get(length..).unwrap_or_default();
    }
    plain.push_str(rest);
    plain
}

/// The character of the entity that a text begins with, and the entity's length.
fn entity(text: &str) -> Option<(char, usize)> {
    for (name, c) in [("&amp;", '&'), ("&lt;", '<'), ("&gt;", '>'), ("&quot;", '"')] {
        if text.starts_with(name) {
            return Some((c, name.len()));
        }
    }
    let digits = text.strip_prefix("&#")?.split(';').next()?;
    let is_number = (1..=7).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    let c = digits.parse().ok().and_then(char::from_u32).filter(|_| is_number)?;
    let length = digits.len() + 3;
    text.is_char_boundary(length).then_some((c, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_comes_back() {
        let texts = [
            "",
            " ",
            "a & b",
            "&amp;",
            "&#38;",
            "&#x26;",
            "&#999999999;",
            "&#38",
            "a\nb\r\n",
            "\u{2028}x\u{a0}",
            "&&amp;;",
            "&#1114112;",
            "&#;",
            "é&#233;",
        ];
        for text in texts {
            assert_eq!(unescape(&escape(text)), text, "{text:?}");
            assert_eq!(unescape(&escape_signs(text)), text, "{text:?}");
            assert!(!escape(text).contains(['\n', '\r']), "{text:?}");
            assert_eq!(escape(text), escape(text).trim(), "{text:?}");
        }
        assert_eq!(escape("R&D, a < b"), "R&D, a < b");
    }
}
