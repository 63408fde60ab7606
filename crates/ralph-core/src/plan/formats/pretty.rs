//! JSON as people like to read it.

use serde_json::Value;

/// Two spaces, a newline at the end.
pub(super) fn pretty(value: &Value) -> Option<String> {
    serde_json::to_string_pretty(value).ok().map(|text| text + "\n")
}
