//! The structured report at the end of an iteration, read as leniently as it can be read safely.
//!
//! Nothing in it can fail an attempt: what has the wrong shape is left out, what is too long is cut.

use ralph_text::cut;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// JSON Schema of a handoff, on one line, for agents that take one.
pub const HANDOFF_SCHEMA: &str = include_str!("handoff.schema.json").trim_ascii();

/// Most bytes of a handoff that are kept: a review of forty criteria with their evidence has room.
const MAX_TOTAL: usize = 256 * 1024;
/// Most bytes of one string in it.
const MAX_TEXT: usize = 8 * 1024;
/// Most entries of one list in it.
pub(crate) const MAX_ENTRIES: usize = 200;
/// Deepest nesting that is kept.
const MAX_DEPTH: usize = 8;
/// Info string of the fenced block that carries a handoff in plain text.
const FENCE_NAME: &str = "ralph-handoff";

/// What the agent says it did. All of it is claim, none of it verdict.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Handoff {
    pub task_completed: TaskCompleted,
    /// Message for the commit, first line as subject.
    pub commit_message: Option<String>,
    /// What a person must answer before the work can continue.
    pub question: Option<String>,
    /// Everything else the agent reported, kept as it came.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The agent's own view of the task.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskCompleted {
    pub task_id: String,
    pub summary: String,
    /// `None`: it did not say.
    pub fully_complete: Option<bool>,
}

impl Handoff {
    /// Reads a JSON object; `None` if it is no object.
    pub fn from_json(json: &str) -> Option<Self> {
        match serde_json::from_str(json).ok()? {
            Value::Object(map) => Some(Self::from_map(map)),
            _ => None,
        }
    }

    /// Reads the last complete `ralph-handoff` block of a text.
    pub fn from_text(text: &str) -> Option<Self> {
        blocks(text).into_iter().rev().find_map(|block| Self::from_json(&block))
    }

    /// Reads the one `ralph-handoff` block that carries this word and ends the text. Another such block, quoted or
    /// not, or anything that is said afterwards makes it unclear whose word it is: then there is none.
    pub fn sealed(text: &str, seal: &str) -> Option<Self> {
        let opening = format!("{FENCE_NAME} {seal}");
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let at = lines.iter().position(|line| named(line) == Some(opening.as_str()))?;
        let fence = lines[at].trim();
        let ticks = fence.len() - fence.trim_start_matches('`').len();
        let is_quoted = |line: &&str| line.contains(&format!("```{FENCE_NAME}"));
        let (last, block) = lines[at + 1..].split_last()?;
        let closes =
            |line: &str| line.trim().len() >= ticks && line.trim().trim_matches('`').is_empty();
        if seal.is_empty() || lines[..at].iter().any(is_quoted) || !closes(last) {
            return None;
        }
        if block.iter().any(|line| closes(line)) {
            None
        } else {
            Self::from_json(&block.join("\n"))
        }
    }

    /// What it says in a sentence, whatever kind of work it reports; empty if it says nothing.
    pub fn summary(&self) -> &str {
        let other = || self.rest.get("summary").and_then(Value::as_str).unwrap_or_default();
        if self.task_completed.summary.is_empty() { other() } else { &self.task_completed.summary }
    }

    fn from_map(mut map: Map<String, Value>) -> Self {
        let mut handoff = Self {
            task_completed: match map.shift_remove("task_completed") {
                Some(Value::Object(task)) => TaskCompleted::from_map(&task),
                Some(Value::String(summary)) => {
                    TaskCompleted { summary: short(&summary), ..TaskCompleted::default() }
                }
                _ => TaskCompleted::default(),
            },
            commit_message: map.shift_remove("commit_message").and_then(|v| sentence(&v)),
            question: map.shift_remove("question").and_then(|v| sentence(&v)),
            rest: Map::new(),
        };
        // The four strings above take at most half; the rest shares what is left, first come first kept.
        let mut room = MAX_TOTAL / 2;
        for (key, value) in map {
            let Some(kept) = bounded(value, MAX_DEPTH) else {
                continue;
            };
            let size = key.len() + kept.to_string().len();
            if size <= room {
                room -= size;
                handoff.rest.insert(key, kept);
            }
        }
        handoff
    }
}

impl TaskCompleted {
    fn from_map(map: &Map<String, Value>) -> Self {
        let text = |key| map.get(key).and_then(sentence).unwrap_or_default();
        Self {
            task_id: text("task_id"),
            summary: text("summary"),
            fully_complete: map.get("fully_complete").and_then(|value| match value {
                Value::Bool(said) => Some(*said),
                Value::String(said) => said.trim().to_ascii_lowercase().parse().ok(),
                _ => None,
            }),
        }
    }
}

fn short(text: &str) -> String {
    cut::ellipsis(text, MAX_TEXT)
}

/// A string or number as text; nothing if it is blank.
fn sentence(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim()).filter(|text| !text.is_empty()).map(short),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn bounded(value: Value, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    Some(match value {
        Value::String(text) => Value::String(short(&text)),
        Value::Array(items) => items
            .into_iter()
            .take(MAX_ENTRIES)
            .filter_map(|item| bounded(item, depth))
            .collect::<Vec<_>>()
            .into(),
        Value::Object(map) => map
            .into_iter()
            .take(MAX_ENTRIES)
            .filter_map(|(key, item)| Some((short(&key), bounded(item, depth)?)))
            .collect::<Map<_, _>>()
            .into(),
        scalar => scalar,
    })
}

/// What a line says that opens a fence.
fn named(line: &str) -> Option<&str> {
    line.trim().strip_prefix("```").map(|rest| rest.trim_start_matches('`').trim())
}

/// A fence that was opened, with what a handoff's holds so far.
struct Fence {
    ticks: usize,
    block: Option<String>,
}

/// The contents of every closed `ralph-handoff` block that is not itself quoted inside a longer fence, as
/// prompts quote foreign text: an agent that repeats its prompt hands over nothing.
fn blocks(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<Fence> = None;
    for line in text.lines() {
        let rest = line.trim().trim_start_matches('`');
        let ticks = line.trim().len() - rest.len();
        let least = open.as_ref().map_or(3, |fence| fence.ticks);
        match &mut open {
            Some(_) if ticks >= least && rest.is_empty() => {
                found.extend(open.take().and_then(|fence| fence.block));
            }
            Some(Fence { block: Some(block), .. }) => {
                block.push_str(line);
                block.push('\n');
            }
            _ if ticks >= least && rest.trim() == FENCE_NAME => {
                open = Some(Fence { ticks, block: Some(String::new()) });
            }
            None if ticks >= 3 && !rest.contains('`') => open = Some(Fence { ticks, block: None }),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: &Value) -> Handoff {
        Handoff::from_json(&value.to_string()).unwrap_or_default()
    }

    #[test]
    fn the_schema_is_one_line_of_json_with_the_optional_parts() {
        let schema: Value = serde_json::from_str(HANDOFF_SCHEMA).unwrap_or_default();
        assert!(!HANDOFF_SCHEMA.contains('\n'));
        for key in ["task_completed", "plan_amendments", "commit_message", "question", "supersedes"]
        {
            assert!(schema["properties"][key].is_object(), "{key}");
        }
        let required = schema["required"].to_string();
        assert!(required.contains("files_touched") && !required.contains("question"));
    }

    #[test]
    fn wrong_types_lose_only_themselves() {
        let handoff = read(&json!({
            "task_completed": {"task_id": 7, "summary": ["no"], "fully_complete": "True"},
            "commit_message": {"not": "text"},
            "question": "  ",
            "files_touched": "all of them",
            "patterns": ["use bun"],
        }));
        assert_eq!(handoff.task_completed.task_id, "7");
        assert_eq!(handoff.task_completed.summary, "");
        assert_eq!(handoff.task_completed.fully_complete, Some(true));
        assert_eq!((handoff.commit_message, handoff.question), (None, None));
        assert_eq!(handoff.rest["files_touched"], "all of them");
        assert_eq!(handoff.rest["patterns"][0], "use bun");
    }

    #[test]
    fn a_bare_sentence_is_taken_as_the_summary() {
        let handoff = read(&json!({"task_completed": "did it"}));
        assert_eq!(handoff.task_completed.summary, "did it");
        assert_eq!(handoff.task_completed.fully_complete, None);
    }

    #[test]
    fn what_is_no_object_is_no_handoff() {
        for text in ["", "null", "[]", "\"done\"", "{", "not json"] {
            assert_eq!(Handoff::from_json(text), None, "{text}");
        }
    }

    #[test]
    fn a_huge_handoff_is_kept_within_bounds() {
        let deep = (0..100).fold(json!("x"), |inner, _| json!([inner]));
        let handoff = read(&json!({
            "task_completed": {"summary": "s".repeat(1 << 17), "fully_complete": true},
            "commit_message": "m".repeat(1 << 17),
            "question": "é".repeat(1 << 17),
            "deep": deep,
            "recommendations": vec!["r".repeat(10_000); 200],
            "patterns": ["kept"],
        }));
        let size = serde_json::to_string(&handoff).map_or(usize::MAX, |text| text.len());
        assert!(size <= MAX_TOTAL, "{size}");
        assert_eq!(handoff.task_completed.fully_complete, Some(true));
        assert_eq!(handoff.rest["patterns"][0], "kept");
    }

    #[test]
    fn the_last_readable_block_of_a_text_counts() {
        let text = "x\n```ralph-handoff\n{\"question\": \"first\"}\n```\n\
                    ````ralph-handoff\n{\"question\":\n \"second ```\"}\n````\n\
                    ```ralph-handoff\nnot json\n```\n```ralph-handoff\n{\"question\": \"open\"}";
        let question = Handoff::from_text(text).and_then(|handoff| handoff.question);
        assert_eq!(question.as_deref(), Some("second ```"));
        assert_eq!(Handoff::from_text("```json\n{}\n```"), None);
    }

    #[test]
    fn a_quoted_block_hands_over_nothing_and_a_stray_fence_hides_none() {
        let block = "```ralph-handoff\n{\"question\": \"real?\"}\n```";
        assert_eq!(Handoff::from_text(&format!("````text\n{block}\n````\nend")), None);
        for text in [
            format!("````text\nquoted\n````\n{block}"),
            format!("the end of a cut block\n```\nwords\n{block}"),
            format!("```sh\nmake\n```\n{block}\nbye"),
            format!("```inline``` code\n{block}"),
        ] {
            let question = Handoff::from_text(&text).and_then(|handoff| handoff.question);
            assert_eq!(question.as_deref(), Some("real?"), "{text}");
        }
    }

    #[test]
    fn a_handoff_survives_its_written_form() {
        let handoff = read(&json!({
            "task_completed": {"task_id": "T-1", "summary": "s", "fully_complete": false},
            "question": "which?", "patterns": ["a"],
        }));
        let again =
            serde_json::to_string(&handoff).ok().and_then(|t| serde_json::from_str(&t).ok());
        assert_eq!(again, Some(handoff));
    }
}
