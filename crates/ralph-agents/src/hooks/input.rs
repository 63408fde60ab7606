//! What a CLI writes to a hook's standard input, read so that no unknown or odd field loses the rest.

use serde_json::{Map, Value};

/// One event of a session.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HookInput {
    pub session: String,
    /// File in which the CLI keeps the session.
    pub transcript: String,
    /// Folder in which the session is.
    pub cwd: String,
    /// The tool, empty if the event is about none.
    pub tool: String,
    /// What the tool is given.
    pub tool_input: Value,
    /// The agent goes on only because a hook did not let it stop.
    pub is_held: bool,
    /// What the agent said last; absent where it handed over by a tool.
    pub last_message: Option<String>,
}

impl HookInput {
    /// Reads an event; `None` if it is no JSON object.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let Value::Object(mut fields) = serde_json::from_slice(bytes.trim_ascii()).ok()? else {
            return None;
        };
        Some(Self {
            session: text(&mut fields, "session_id").unwrap_or_default(),
            transcript: text(&mut fields, "transcript_path").unwrap_or_default(),
            cwd: text(&mut fields, "cwd").unwrap_or_default(),
            tool: text(&mut fields, "tool_name").unwrap_or_default(),
            tool_input: fields.shift_remove("tool_input").unwrap_or_default(),
            is_held: fields.get("stop_hook_active").and_then(Value::as_bool).unwrap_or_default(),
            last_message: text(&mut fields, "last_assistant_message"),
        })
    }
}

fn text(fields: &mut Map<String, Value>, name: &str) -> Option<String> {
    match fields.shift_remove(name)? {
        Value::String(text) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_claude_and_codex_write_is_read_and_odd_fields_lose_only_themselves() {
        let said = json!({
            "session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/w", "turn_id": "x", "tool_name": "Bash",
            "tool_input": {"command": "ls"}, "stop_hook_active": "yes", "last_assistant_message": null,
        });
        let read = HookInput::read(format!("{said}\n").as_bytes()).unwrap_or_default();
        let of = |text: &str| text.to_owned();
        assert_eq!(
            read,
            HookInput {
                session: of("s"),
                transcript: of("/t.jsonl"),
                cwd: of("/w"),
                tool: of("Bash"),
                tool_input: json!({"command": "ls"}),
                is_held: false,
                last_message: None,
            }
        );
    }

    #[test]
    fn what_is_no_object_is_no_event() {
        for text in ["", "null", "[]", "\"x\"", "{", "{\"a\": \"\\ud800\"}"] {
            assert_eq!(HookInput::read(text.as_bytes()), None, "{text}");
        }
        assert_eq!(HookInput::read(b"{}"), Some(HookInput::default()));
    }
}
