//! Reads lists of an agent's JSON as leniently as it can be read safely: one line each, cut, bounded in number.
//!
//! What has the wrong shape is left out; nothing here can fail.

use ralph_text::{cut, markdown::one_line, sanitise::clean};
use serde_json::{Map, Value};

/// Most bytes of one text that memory keeps.
pub(super) const MAX_TEXT: usize = 320;
/// Most entries of one list.
pub(super) const MAX_LIST: usize = 24;

/// A text as memory keeps it: one line without control characters, cut.
pub(super) fn text(value: &str) -> String {
    cut::ellipsis(&one_line(&clean(value)), MAX_TEXT)
}

/// A string or number as text.
pub(super) fn word(value: &Value) -> Option<String> {
    let word = match value {
        Value::String(word) => text(word),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    (!word.is_empty()).then_some(word)
}

/// The first of these fields that holds a text.
pub(super) fn field(map: &Map<String, Value>, names: &[&str]) -> String {
    names.iter().find_map(|name| map.get(*name).and_then(word)).unwrap_or_default()
}

/// The entries of a list; a single entry counts as a list of one.
pub(super) fn entries<'a>(
    map: &'a Map<String, Value>,
    name: &str,
) -> impl Iterator<Item = &'a Value> {
    let all = match map.get(name) {
        Some(Value::Array(list)) => list.as_slice(),
        Some(one @ (Value::Object(_) | Value::String(_))) => std::slice::from_ref(one),
        _ => &[],
    };
    all.iter().take(MAX_LIST)
}

/// The same without a bound on their number: for lists that ralph wrote itself.
pub(super) fn all_texts(map: &Map<String, Value>, name: &str, fields: &[&str]) -> Vec<String> {
    let all = map.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    all.iter().filter_map(|entry| read(entry, fields)).collect()
}

/// The texts of a list, whose entries may be texts or objects that hold one under these names.
pub(super) fn texts(map: &Map<String, Value>, name: &str, fields: &[&str]) -> Vec<String> {
    entries(map, name).filter_map(|entry| read(entry, fields)).collect()
}

/// The statements that a handoff says no longer hold; `revoked` is what the list was called before.
pub(super) fn superseded(map: &Map<String, Value>) -> Vec<String> {
    let named = |name| texts(map, name, &["statement", "text"]);
    [named("supersedes"), named("revoked")].concat()
}

fn read(entry: &Value, fields: &[&str]) -> Option<String> {
    match entry {
        Value::Object(map) => Some(field(map, fields)).filter(|text| !text.is_empty()),
        other => word(other),
    }
}
