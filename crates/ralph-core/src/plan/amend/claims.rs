//! Names under which an agent may say where a task stands, in ralph's spelling and in that of other tools.

use serde_json::{Map, Value};

use crate::plan::Task;

/// The field that ralph derives from the status, and reads past.
pub(super) const REVIEW_STATUS: &str = "review_status";

const CLAIMS: &[&str] = &[
    "status",
    "state",
    "passes",
    "passed",
    "done",
    "complete",
    "completed",
    "approved",
    "review",
    "reviewstatus",
    "reviewcount",
    "reviewfeedback",
    "evidence",
];

/// Whether a field says where a task stands, in whatever spelling.
pub(super) fn is_claim(name: &str) -> bool {
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    CLAIMS.contains(&plain.as_str())
}

/// The first unknown field of a task that claims something.
pub(super) fn first(extra: &Map<String, Value>) -> Option<&str> {
    extra
        .iter()
        .find(|(name, value)| is_claim(name) && !is_nothing(value))
        .map(|(name, _)| name.as_str())
}

/// Keeps what a new task says about its review in the spelling of other tools: its own would be read past when
/// the proposal comes back from the journal.
pub(super) fn keep_review_status(task: &mut Task, said: Value) {
    task.extra.insert("reviewStatus".into(), said);
}

/// Takes out of a new task's unknown fields what claims that nothing has happened yet.
pub(super) fn drop_empty(extra: &mut Map<String, Value>) {
    extra.retain(|name, value| !(is_claim(name) && is_nothing(value)));
}

/// How other tools write that nothing has happened yet.
pub(super) fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => matches!(text.trim(), "" | "pending"),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(true) => false,
    }
}
