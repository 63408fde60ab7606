//! The Anthropic Messages dialect (claude).

use serde_json::{Value, json};

use super::{Asking, Dialect, Message, each, text_of};
use crate::model::{failure::Failure, script::USAGE};

pub(super) struct Messages;

impl Dialect for Messages {
    fn is_at(&self, path: &str) -> bool {
        path.ends_with("/messages")
    }

    fn counts(&self, path: &str) -> Option<&'static str> {
        path.ends_with("/messages/count_tokens").then_some("input_tokens")
    }

    fn read(&self, body: &Value) -> Asking {
        let form = each(&body["tools"]).find(|tool| tool["name"] == "StructuredOutput");
        let name = |tool: &Value| tool["name"].as_str().map(str::to_owned);
        Asking {
            tools: each(&body["tools"]).filter_map(name).collect(),
            conversation: text_of(&body["messages"]),
            instructions: body["system"].to_string(),
            schema: form.map(|tool| tool["input_schema"].clone()).unwrap_or_default(),
            is_schema_of_text: false,
        }
    }

    fn whole(&self, body: &Value, said: &Message) -> Value {
        let mut whole = envelope(body, said);
        whole["content"] = blocks(said).into();
        whole["stop_reason"] = stop_reason(said).into();
        whole
    }

    fn events(&self, body: &Value, said: &Message) -> Vec<Value> {
        let mut events = vec![json!({"type": "message_start", "message": envelope(body, said)})];
        for (index, block) in blocks(said).into_iter().enumerate() {
            let (start, delta) = split(block);
            events.extend([
                json!({"type": "content_block_start", "index": index, "content_block": start}),
                json!({"type": "content_block_delta", "index": index, "delta": delta}),
                json!({"type": "content_block_stop", "index": index}),
            ]);
        }
        let delta = json!({"stop_reason": stop_reason(said), "stop_sequence": null});
        events.push(json!({"type": "message_delta", "delta": delta, "usage": usage(said)}));
        events.push(json!({"type": "message_stop"}));
        events
    }

    fn failure(&self, failure: Failure) -> Value {
        let kind = match failure {
            Failure::UsageLimit { .. } => "rate_limit_error",
            Failure::Overloaded => "overloaded_error",
            Failure::LoginRefused => "authentication_error",
            Failure::TooLong => "invalid_request_error",
        };
        json!({"type": "error", "error": {"type": kind, "message": failure.message()}})
    }
}

fn envelope(asked: &Value, said: &Message) -> Value {
    json!({
        "id": said.id("msg"), "type": "message", "role": "assistant", "model": asked["model"],
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage(said),
    })
}

fn blocks(said: &Message) -> Vec<Value> {
    let text = json!({"type": "text", "text": said.text});
    let call = said.call.as_ref().map(|call| {
        json!({"type": "tool_use", "id": said.id("toolu"), "name": call.name, "input": call.input})
    });
    [text].into_iter().chain(call).collect()
}

/// A block as the stream begins it, and the rest of it.
fn split(mut block: Value) -> (Value, Value) {
    if block["type"] == "text" {
        let text = block["text"].take();
        block["text"] = "".into();
        return (block, json!({"type": "text_delta", "text": text}));
    }
    let input = block["input"].take().to_string();
    block["input"] = json!({});
    (block, json!({"type": "input_json_delta", "partial_json": input}))
}

fn stop_reason(said: &Message) -> &'static str {
    if said.call.is_some() { "tool_use" } else { "end_turn" }
}

fn usage(said: &Message) -> Value {
    json!({
        "input_tokens": said.input, "output_tokens": USAGE.output,
        "cache_read_input_tokens": USAGE.cache_read, "cache_creation_input_tokens": USAGE.cache_write,
    })
}
