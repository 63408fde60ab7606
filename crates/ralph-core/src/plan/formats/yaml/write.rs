//! A JSON value as YAML in block style. Every text is quoted, so that nothing is taken for a number, a date or a
//! comment.

use std::fmt::Write as _;

use serde_json::Value;

/// The document of a value.
pub(super) fn document(value: &Value) -> String {
    let mut text = String::new();
    block(&mut text, value, 0);
    text
}

/// A value that begins at the start of a line.
fn block(text: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Object(object) if !object.is_empty() => {
            for (name, value) in object {
                let _ = write!(text, "{:indent$}{}:", "", key(name));
                behind(text, value, indent);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                let _ = write!(text, "{:indent$}-", "");
                in_list(text, item, indent);
            }
        }
        scalar => {
            let _ = writeln!(text, "{:indent$}{}", "", flow(scalar));
        }
    }
}

/// A value behind its key.
fn behind(text: &mut String, value: &Value, indent: usize) {
    if is_block(value) {
        text.push('\n');
        block(text, value, indent + 2);
    } else {
        let _ = writeln!(text, " {}", flow(value));
    }
}

/// An item behind its dash: maps begin on the same line.
fn in_list(text: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Object(object) if !object.is_empty() => {
            let mut inner = String::new();
            block(&mut inner, value, indent + 2);
            let _ = write!(text, " {}", inner.trim_start_matches(' '));
        }
        value => behind(text, value, indent),
    }
}

fn is_block(value: &Value) -> bool {
    match value {
        Value::Object(object) => !object.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    }
}

fn flow(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

/// Plain where it can be nothing but a word.
fn key(name: &str) -> String {
    let is_word = !name.is_empty()
        && name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        && !matches!(name, "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n");
    if is_word { name.to_owned() } else { quoted(name) }
}

/// In double quotes: JSON's escapes, and a number for every other character that YAML or an editor could change.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    for c in Value::from(text).to_string().chars() {
        if is_plain(c) {
            quoted.push(c);
        } else {
            let _ = write!(quoted, "\\U{:08x}", u32::from(c));
        }
    }
    quoted
}

fn is_plain(c: char) -> bool {
    let number = u32::from(c);
    !c.is_control()
        && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
        && !matches!(number & 0xffff, 0xfffe | 0xffff)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_written_in_block_style() {
        let value = json!({
            "a": "x: #y", "b": [], "c": [{"id": 1, "d": {"e": null}}, ["z", []], "- w"], "Yes": true, "f": {},
        });
        insta::assert_snapshot!(document(&value), @r#"
        a: "x: #y"
        b: []
        c:
          - id: 1
            d:
              e: null
          -
            - "z"
            - []
          - "- w"
        "Yes": true
        f: {}
        "#);
    }
}
