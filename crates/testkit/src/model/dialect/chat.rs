//! The OpenAI Chat Completions dialect (qwen, opencode, copilot, cline).

use serde_json::{Value, json};

use super::{Asking, Dialect, Message, by_role, each};
use crate::model::{failure::Failure, script::USAGE};

pub(super) struct Chat;

impl Dialect for Chat {
    fn is_at(&self, path: &str) -> bool {
        path.ends_with("/chat/completions")
    }

    fn counts(&self, _: &str) -> Option<&'static str> {
        None
    }

    fn read(&self, body: &Value) -> Asking {
        let functions = || each(&body["tools"]).map(|tool| &tool["function"]);
        let form = functions().find(|function| function["name"] == "structured_output");
        let (conversation, instructions) = by_role(&body["messages"]);
        Asking {
            tools: functions().filter_map(|one| one["name"].as_str()).map(str::to_owned).collect(),
            conversation,
            instructions,
            schema: form.map(|function| function["parameters"].clone()).unwrap_or_default(),
            is_schema_of_text: false,
        }
    }

    fn whole(&self, body: &Value, said: &Message) -> Value {
        let mut message = json!({"role": "assistant", "content": said.text});
        if let Some(call) = call(said) {
            message["tool_calls"] = json!([call]);
        }
        let choice = json!({"index": 0, "message": message, "finish_reason": finish_reason(said)});
        let mut whole = envelope(body, said, "chat.completion");
        whole["choices"] = json!([choice]);
        whole["usage"] = usage(said);
        whole
    }

    fn events(&self, body: &Value, said: &Message) -> Vec<Value> {
        let chunk = |delta: Value, reason: Value| {
            let mut chunk = envelope(body, said, "chat.completion.chunk");
            chunk["choices"] = json!([{"index": 0, "delta": delta, "finish_reason": reason}]);
            chunk
        };
        let mut events = vec![
            chunk(json!({"role": "assistant", "content": ""}), Value::Null),
            chunk(json!({"content": said.text}), Value::Null),
        ];
        if let Some(mut call) = call(said) {
            call["index"] = 0.into();
            events.push(chunk(json!({"tool_calls": [call]}), Value::Null));
        }
        events.push(chunk(json!({}), finish_reason(said).into()));
        let mut used = envelope(body, said, "chat.completion.chunk");
        used["choices"] = json!([]);
        used["usage"] = usage(said);
        events.push(used);
        events
    }

    fn last_line(&self) -> &'static str {
        "data: [DONE]\n\n"
    }

    fn failure(&self, failure: Failure) -> Value {
        self::failure(failure)
    }
}

/// A failure as all dialects of this family tell it.
pub(super) fn failure(failure: Failure) -> Value {
    let (kind, code) = match failure {
        Failure::UsageLimit { .. } => ("rate_limit_error", "rate_limit_exceeded"),
        Failure::Overloaded => ("overloaded_error", "overloaded"),
        Failure::LoginRefused => ("authentication_error", "invalid_api_key"),
        Failure::TooLong => ("invalid_request_error", "context_length_exceeded"),
    };
    json!({"error": {"message": failure.message(), "type": kind, "code": code, "param": null}})
}

fn envelope(asked: &Value, said: &Message, object: &str) -> Value {
    json!({"id": said.id("chatcmpl"), "object": object, "created": 0, "model": asked["model"]})
}

fn call(said: &Message) -> Option<Value> {
    let call = said.call.as_ref()?;
    let function = json!({"name": call.name, "arguments": call.input.to_string()});
    Some(json!({"id": said.id("call"), "type": "function", "function": function}))
}

fn finish_reason(said: &Message) -> &'static str {
    if said.call.is_some() { "tool_calls" } else { "stop" }
}

fn usage(said: &Message) -> Value {
    let asked = said.input + USAGE.cache_read;
    json!({
        "prompt_tokens": asked, "completion_tokens": USAGE.output, "total_tokens": asked + USAGE.output,
        "prompt_tokens_details": {"cached_tokens": USAGE.cache_read},
    })
}
