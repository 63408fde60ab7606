//! What the wire dialects have in common: a request is read, an answer is put into words. No dialect touches
//! the network.

mod chat;
mod gemini;
mod messages;
mod responses;

use serde_json::Value;

use super::{failure::Failure, offer::Call};

static ALL: &[&dyn Dialect] =
    &[&messages::Messages, &responses::Responses, &chat::Chat, &gemini::Gemini];

/// One provider's way of asking and answering.
pub(super) trait Dialect: Sync {
    /// Whether a model is asked for work at this path.
    fn is_at(&self, path: &str) -> bool;

    /// Whether the tokens of a prompt are to be counted at this path; then how the number is told.
    fn counts(&self, path: &str) -> Option<&'static str>;

    /// What is asked.
    fn read(&self, body: &Value) -> Asking;

    /// Whether the answer is wanted as a stream of events.
    fn is_streamed(&self, _path: &str, body: &Value) -> bool {
        body["stream"] == true
    }

    /// A whole answer.
    fn whole(&self, body: &Value, said: &Message) -> Value;

    /// An answer as events.
    fn events(&self, body: &Value, said: &Message) -> Vec<Value>;

    /// The line after the last event.
    fn last_line(&self) -> &'static str {
        ""
    }

    /// A failure.
    fn failure(&self, failure: Failure) -> Value;
}

/// The dialect that is spoken at a path.
pub(super) fn of(path: &str) -> Option<&'static dyn Dialect> {
    ALL.iter().copied().find(|dialect| dialect.is_at(path))
}

/// How the dialect that counts tokens at a path tells their number.
pub(super) fn counter(path: &str) -> Option<&'static str> {
    ALL.iter().find_map(|dialect| dialect.counts(path))
}

/// What a request says.
#[derive(Debug, Default)]
pub(super) struct Asking {
    /// Names of the tools that the model may call.
    pub tools: Vec<String>,
    /// Everything that was said before, without the CLI's own instructions.
    pub conversation: String,
    /// The CLI's own instructions.
    pub instructions: String,
    /// The form in which the answer must be handed over; null if there is none.
    pub schema: Value,
    /// The schema is for the text of the answer, not for a tool.
    pub is_schema_of_text: bool,
}

/// What the model says.
pub(super) struct Message {
    pub number: usize,
    pub text: String,
    pub call: Option<Call>,
    /// Tokens of the question that were not cached.
    pub input: u64,
}

impl Message {
    /// An id that no other answer has.
    fn id(&self, kind: &str) -> String {
        format!("{kind}_scripted{}", self.number)
    }
}

/// All text in a value, each string on lines of its own.
fn text_of(value: &Value) -> String {
    let mut text = String::new();
    collect(value, &mut text);
    text
}

fn collect(value: &Value, text: &mut String) {
    match value {
        Value::String(part) => {
            text.push_str(part);
            text.push('\n');
        }
        Value::Array(parts) => parts.iter().for_each(|part| collect(part, text)),
        Value::Object(parts) => parts.values().for_each(|part| collect(part, text)),
        _ => {}
    }
}

/// The entries of a list.
fn each(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Texts of a list of messages: what was said, and what those who set the model up told it.
fn by_role(messages: &Value) -> (String, String) {
    let is_setup = |one: &&Value| matches!(one["role"].as_str(), Some("system" | "developer"));
    let (setup, said): (Vec<_>, Vec<_>) = each(messages).partition(is_setup);
    let joined = |parts: Vec<&Value>| parts.into_iter().map(text_of).collect::<String>();
    (joined(said), joined(setup))
}
