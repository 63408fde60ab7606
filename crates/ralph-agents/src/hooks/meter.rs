//! How full an agent's context is, from the end of the file in which its CLI keeps the session.

use serde_json::Value;

/// What the last answer of the model used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meter {
    /// Tokens in the context.
    pub used: u64,
    /// Its window, where the CLI writes it down.
    pub window: Option<u64>,
}

/// Reads the newest figures in the end of a session file; a line that is cut off at either end does not count.
///
/// Known are the session files of Claude Code and of Codex. `None`: there are no figures in it.
pub fn in_tail(tail: &[u8]) -> Option<Meter> {
    tail.split(|byte| *byte == b'\n').rev().find_map(line)
}

fn line(line: &[u8]) -> Option<Meter> {
    let has = |word: &[u8]| line.windows(word.len()).any(|part| part == word);
    if !has(b"\"usage\"") && !has(b"token_count") && !has(b"compact_boundary") {
        return None;
    }
    let value: Value = serde_json::from_slice(line).ok()?;
    claude(&value).or_else(|| codex(&value))
}

fn claude(line: &Value) -> Option<Meter> {
    if line["isSidechain"] == true {
        // A helper has a context of its own.
        return None;
    }
    if line["subtype"] == "compact_boundary" {
        return Some(Meter { used: 0, window: None });
    }
    let message = &line["message"];
    if line["type"] != "assistant" || message["model"] == "<synthetic>" {
        return None;
    }
    let parts =
        ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"];
    let usage = message["usage"].as_object()?;
    let used = parts.iter().filter_map(|part| usage.get(*part)?.as_u64());
    Some(Meter { used: used.fold(0, u64::saturating_add), window: None })
}

fn codex(line: &Value) -> Option<Meter> {
    let payload = &line["payload"];
    if payload["type"] != "token_count" {
        return None;
    }
    let info = &payload["info"];
    let used = info["last_token_usage"]["total_tokens"].as_u64()?;
    let window = info["model_context_window"].as_u64().filter(|window| *window > 0);
    Some(Meter { used, window })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn assistant(input: u64, more: Value) -> Value {
        let usage = json!({
            "input_tokens": input, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 800,
            "output_tokens": 80, "output_tokens_details": {"thinking_tokens": 5},
        });
        let mut line = json!({"type": "assistant", "isSidechain": false, "message": {"model": "m", "usage": usage}});
        if let (Value::Object(line), Value::Object(more)) = (&mut line, more) {
            line.extend(more);
        }
        line
    }

    fn tail(lines: &[Value]) -> Vec<u8> {
        let lines: Vec<_> = lines.iter().map(Value::to_string).collect();
        format!("cut off\"usage\"}}\n{}\n", lines.join("\n")).into_bytes()
    }

    #[test]
    fn the_newest_answer_of_claude_itself_counts() {
        let helper = assistant(9_000, json!({"isSidechain": true}));
        let lines =
            [assistant(1, json!({})), assistant(1_200, json!({})), helper, json!({"type": "user"})];
        assert_eq!(in_tail(&tail(&lines)), Some(Meter { used: 2_180, window: None }));
    }

    #[test]
    fn a_compacted_context_is_empty_until_the_next_answer() {
        let boundary = json!({"type": "system", "subtype": "compact_boundary"});
        let lines = [assistant(1_200, json!({})), boundary];
        assert_eq!(in_tail(&tail(&lines)), Some(Meter { used: 0, window: None }));
    }

    #[test]
    fn codex_tells_usage_and_window() {
        let info = json!({
            "total_token_usage": {"total_tokens": 900_000}, "last_token_usage": {"total_tokens": 1_280},
            "model_context_window": 258_400,
        });
        let lines = [
            json!({"type": "event_msg", "payload": {"type": "token_count", "info": info}}),
            json!({"type": "event_msg", "payload": {"type": "token_count", "info": null}}),
        ];
        assert_eq!(in_tail(&tail(&lines)), Some(Meter { used: 1_280, window: Some(258_400) }));
    }

    #[test]
    fn a_file_without_figures_tells_nothing() {
        for text in ["", "\n\n", "{\"usage\": 3}\n", "{\"type\":\"assistant\",\"usage\""] {
            assert_eq!(in_tail(text.as_bytes()), None, "{text}");
        }
    }
}
