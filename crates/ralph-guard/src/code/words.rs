//! Names and quoted texts of code, whatever its language.

/// Names in a code, with and without what they belong to.
pub(in super::super) fn tokens(code: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || "_.-".contains(c);
    let mut tokens = Vec::new();
    for token in code.split(|c| !is_part(c)).filter(|token| !token.is_empty()) {
        tokens.push(token.to_owned());
        tokens.extend(token.split('.').filter(|part| !part.is_empty()).map(str::to_owned));
    }
    tokens
}

/// The texts between quotes.
pub(in super::super) fn literals(code: &str) -> Vec<String> {
    let mut joined = code.to_owned();
    for quote in ['\'', '"'] {
        for joint in ["+", " + ", ".", " . "] {
            joined = joined.replace(&format!("{quote}{joint}{quote}"), "");
        }
    }
    let code = joined.as_str();
    let mut found = Vec::new();
    let mut chars = code.chars();
    while let Some(open) = chars.next() {
        let close = match open {
            '"' | '\'' | '`' => open,
            _ => continue,
        };
        let mut text = String::new();
        while let Some(c) = chars.next() {
            if c == close {
                break;
            }
            if c == '\\' {
                text.extend(chars.next());
            } else {
                text.push(c);
            }
        }
        if !text.is_empty() {
            found.push(text);
        }
    }
    for open in ["%x(", "%x{", "qx(", "qx{", "qx/", "q(", "qq("] {
        if let Some((_, rest)) = code.split_once(open) {
            found.extend(rest.split([')', '}', '/']).next().map(str::to_owned));
        }
    }
    found
}
