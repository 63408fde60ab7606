//! What a tool call is about, for people: never the whole input.

use ralph_text::cut;

use super::{
    event::{AgentEvent, TodoItem},
    json::Json,
};

/// Most bytes that are shown.
const SHOWN: usize = 1024;
/// The fields of tools' inputs that say best what a call is about, the most telling first.
const TELLING: [&str; 9] = [
    "file_path",
    "filePath",
    "absolute_path",
    "notebook_path",
    "pattern",
    "path",
    "url",
    "query",
    "description",
];

/// What a tool's input is about, in a few words: its most telling value, else the input as it came.
pub(super) fn summary(input: &str) -> String {
    let fields = Json::new(input);
    let first = fields.get("commands").items().first().copied().unwrap_or_default().as_text();
    let handed = fields.get("task_completed").text("summary");
    let texts =
        [fields.text("command"), first, fields.first_text(TELLING), handed, fields.text("summary")];
    let telling = texts.iter().find(|text| !text.is_empty());
    cut::ellipsis(telling.map_or(input, |text| text.as_ref()), SHOWN)
}

/// The list that a call of a todo or plan tool holds, whatever the agent calls its parts.
pub(super) fn todo(tool: &str, input: &str) -> Option<AgentEvent> {
    if !is_one_of(tool, TODO_TOOLS) {
        return None;
    }
    let lists = ["todos", "plan", "items"].map(|name| Json::new(input).get(name));
    let list = lists.into_iter().find(|list| list.raw().starts_with('['))?;
    let items = list.items().into_iter().take(100).map(|entry| TodoItem {
        text: cut::ellipsis(
            &entry.first_text(["content", "description", "step", "text", "title"]),
            SHOWN,
        ),
        status: cut::ellipsis(&entry.text("status"), SHOWN),
    });
    Some(AgentEvent::Todo { items: items.collect() })
}

/// The question that a call of an asking tool holds: unattended, it gets no answer.
pub(super) fn question(tool: &str, input: &str) -> Option<String> {
    if !is_one_of(tool, ASKING_TOOLS) {
        return None;
    }
    let input = Json::new(input);
    let first = input.get("questions").items().first().copied().unwrap_or_default();
    let asked = [input, first].map(|from| from.text("question"));
    let question = asked.iter().find(|question| !question.trim().is_empty())?;
    Some(cut::ellipsis(question.trim(), SHOWN))
}

/// Whether a tool hands over the answer that was asked for: what it is about is then what the agent says.
pub fn carries_handoff(tool: &str) -> bool {
    is_one_of(tool, "structuredoutput")
}

const TODO_TOOLS: &str = "todowrite writetodos updateplan todo updatetodolist todolist";
const ASKING_TOOLS: &str =
    "askuserquestion askuser askfollowupquestion askquestion question requestuserinput";

/// Whether a tool is in a list of names separated by blanks, however its name is spelled.
pub(super) fn is_one_of(tool: &str, names: &str) -> bool {
    let plain: String =
        tool.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    names.split(' ').any(|name| name == plain)
}
