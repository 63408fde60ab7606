//! What a tool call is about, for people: never the whole input.

use ralph_text::cut;
use serde::Deserialize;

use super::{
    event::{AgentEvent, TodoItem},
    loose::{Loose, Scalar},
};

/// Most bytes that are shown.
const SHOWN: usize = 1024;

/// What a tool's input is about, in a few words: its most telling value, else the input as it came.
pub(super) fn summary(input: &str) -> String {
    let told = ToolInput::read(input);
    cut::ellipsis(told.as_ref().and_then(ToolInput::telling).unwrap_or(input), SHOWN)
}

/// The list that a call of a todo or plan tool holds, whatever the agent calls its parts.
pub(super) fn todo(tool: &str, input: &str) -> Option<AgentEvent> {
    if !is_one_of(tool, TODO_TOOLS) {
        return None;
    }
    let value: serde_json::Value = serde_json::from_str(input).ok()?;
    let items = ["todos", "plan", "items"].iter().find_map(|key| value[*key].as_array())?;
    let field = |entry: &serde_json::Value, keys: &[&str]| {
        let text = keys.iter().find_map(|key| entry[*key].as_str()).unwrap_or_default();
        cut::ellipsis(text, SHOWN)
    };
    let items = items.iter().take(100).map(|entry| TodoItem {
        text: field(entry, &["content", "description", "step", "text", "title"]),
        status: field(entry, &["status"]),
    });
    Some(AgentEvent::Todo { items: items.collect() })
}

/// The question that a call of an asking tool holds: nobody is there to answer it.
pub(super) fn question(tool: &str, input: &str) -> Option<String> {
    if !is_one_of(tool, ASKING_TOOLS) {
        return None;
    }
    let value: serde_json::Value = serde_json::from_str(input).ok()?;
    let of = |value: &serde_json::Value| value["question"].as_str().map(str::to_owned);
    let asked = of(&value).or_else(|| of(&value["questions"][0]))?;
    Some(cut::ellipsis(asked.trim(), SHOWN)).filter(|question| !question.is_empty())
}

const TODO_TOOLS: &[&str] =
    &["todowrite", "writetodos", "updateplan", "todo", "updatetodolist", "todolist"];
const ASKING_TOOLS: &[&str] = &[
    "askuserquestion",
    "askuser",
    "askfollowupquestion",
    "askquestion",
    "question",
    "requestuserinput",
];

/// Whether a tool is one of these, however its name is spelled.
fn is_one_of(tool: &str, names: &[&str]) -> bool {
    let plain: String =
        tool.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    names.contains(&plain.as_str())
}

/// The fields of tools' inputs that say best what a call is about.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ToolInput<'a> {
    #[serde(borrow)]
    command: Scalar<'a>,
    #[serde(borrow)]
    commands: Scalar<'a>,
    #[serde(borrow)]
    file_path: Scalar<'a>,
    #[serde(borrow, rename = "filePath")]
    file_path_camel: Scalar<'a>,
    #[serde(borrow)]
    absolute_path: Scalar<'a>,
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
        let first = self.commands.list().first();
        [
            &self.command,
            first.unwrap_or(&Loose::Absent),
            &self.file_path,
            &self.file_path_camel,
            &self.absolute_path,
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
