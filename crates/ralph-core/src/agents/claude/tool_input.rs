//! What a tool call is about, for people: never the whole input.

use serde::Deserialize;

use super::loose::{Loose, Scalar};
use crate::{
    agents::event::{AgentEvent, TodoItem},
    cut,
};

/// Most bytes that are shown.
const SHOWN: usize = 1024;

/// What a tool's input is about, in a few words: its most telling value, else the input as it came.
pub(super) fn summary(input: &str) -> String {
    let told = ToolInput::read(input);
    cut::ellipsis(told.as_ref().and_then(ToolInput::telling).unwrap_or(input), SHOWN)
}

/// The list a `TodoWrite` call holds, as older versions of the CLI have it.
pub(super) fn todo(input: &str) -> Option<AgentEvent> {
    let value: serde_json::Value = serde_json::from_str(input).ok()?;
    let field = |entry: &serde_json::Value, key: &str| {
        cut::ellipsis(entry[key].as_str().unwrap_or_default(), SHOWN)
    };
    let items = value["todos"].as_array()?;
    let items = items
        .iter()
        .take(100)
        .map(|entry| TodoItem { text: field(entry, "content"), status: field(entry, "status") });
    Some(AgentEvent::Todo { items: items.collect() })
}

/// The fields of tools' inputs that say best what a call is about.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ToolInput<'a> {
    #[serde(borrow)]
    command: Scalar<'a>,
    #[serde(borrow)]
    file_path: Scalar<'a>,
    #[serde(borrow)]
    notebook_path: Scalar<'a>,
    #[serde(borrow)]
    path: Scalar<'a>,
    #[serde(borrow)]
    pattern: Scalar<'a>,
    #[serde(borrow)]
    url: Scalar<'a>,
    #[serde(borrow)]
    query: Scalar<'a>,
    #[serde(borrow)]
    description: Scalar<'a>,
}

impl<'a> ToolInput<'a> {
    /// Reads a tool's input; `None` if it is no JSON object.
    fn read(input: &'a str) -> Option<Self> {
        serde_json::from_str(input).ok()
    }

    /// The most telling text of it.
    fn telling(&self) -> Option<&str> {
        [
            &self.command,
            &self.file_path,
            &self.notebook_path,
            &self.pattern,
            &self.path,
            &self.url,
            &self.query,
            &self.description,
        ]
        .into_iter()
        .map(Loose::text)
        .find(|text| !text.is_empty())
    }
}
