//! The OpenAI Responses dialect (codex, with and without its code mode).

use serde_json::{Value, json};

use super::{Asking, Dialect, Message, by_role, each};
use crate::model::{failure::Failure, script::USAGE};

pub(super) struct Responses;

impl Dialect for Responses {
    fn is_at(&self, path: &str) -> bool {
        path.ends_with("/responses")
    }

    fn counts(&self, _: &str) -> Option<&'static str> {
        None
    }

    fn read(&self, body: &Value) -> Asking {
        // In code mode the tools are an entry of the conversation.
        let is_tools = |one: &&Value| one["type"] == "additional_tools";
        let more = each(&body["input"]).filter(is_tools).flat_map(|one| each(&one["tools"]));
        let (conversation, setup) = by_role(&body["input"]);
        let format = &body["text"]["format"];
        Asking {
            tools: each(&body["tools"]).chain(more).flat_map(names).collect(),
            conversation,
            instructions: format!("{}{setup}", body["instructions"]),
            schema: format["schema"].clone(),
            is_schema_of_text: format["type"] == "json_schema",
        }
    }

    fn whole(&self, body: &Value, said: &Message) -> Value {
        let tokens = said.input + USAGE.cache_read;
        let mut whole = envelope(body, said, "completed");
        whole["output"] = items(said).into();
        whole["usage"] = json!({
            "input_tokens": tokens, "input_tokens_details": {"cached_tokens": USAGE.cache_read},
            "output_tokens": USAGE.output, "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": tokens + USAGE.output,
        });
        whole
    }

    fn events(&self, body: &Value, said: &Message) -> Vec<Value> {
        let begun = envelope(body, said, "in_progress");
        let mut events = vec![json!({"type": "response.created", "response": begun})];
        for (index, item) in items(said).into_iter().enumerate() {
            let mut added = item.clone();
            added["status"] = "in_progress".into();
            let mut event = |kind: &str, more: &str, value: Value| {
                let kind = format!("response.{kind}");
                let id = &item["id"];
                let mut event =
                    json!({"type": kind, "output_index": index, "item_id": id, "content_index": 0});
                event[more] = value;
                events.push(event);
            };
            if item["type"] == "message" {
                added["content"] = json!([]);
                event("output_item.added", "item", added);
                let part = &item["content"][0];
                let empty = json!({"type": "output_text", "text": "", "annotations": []});
                event("content_part.added", "part", empty);
                event("output_text.delta", "delta", part["text"].clone());
                event("output_text.done", "text", part["text"].clone());
                event("content_part.done", "part", part.clone());
            } else {
                event("output_item.added", "item", added);
            }
            event("output_item.done", "item", item.clone());
        }
        events.push(json!({"type": "response.completed", "response": self.whole(body, said)}));
        for (number, event) in events.iter_mut().enumerate() {
            event["sequence_number"] = number.into();
        }
        events
    }

    fn failure(&self, failure: Failure) -> Value {
        super::chat::failure(failure)
    }
}

/// How the groups of the tools of MCP servers begin.
const SERVER: &str = "mcp__";

/// The names of a tool, or of the tools in a group of them: a server's have its group's name before their own.
fn names(tool: &Value) -> Vec<String> {
    if tool["type"] == "namespace" {
        let group = tool["name"].as_str().filter(|name| name.starts_with(SERVER));
        let group = group.map(|name| format!("{name}__")).unwrap_or_default();
        let tools = each(&tool["tools"]).flat_map(names);
        return tools.map(|name| format!("{group}{name}")).collect();
    }
    let name = tool["name"].as_str().or(tool["type"].as_str());
    name.map(str::to_owned).into_iter().collect()
}

fn envelope(asked: &Value, said: &Message, status: &str) -> Value {
    json!({
        "id": said.id("resp"), "object": "response", "created_at": 0, "model": asked["model"],
        "status": status, "output": [], "error": null, "usage": null,
    })
}

fn items(said: &Message) -> Vec<Value> {
    let part = json!({"type": "output_text", "text": said.text, "annotations": []});
    let text = json!({
        "type": "message", "id": said.id("msg"), "role": "assistant", "status": "completed", "content": [part],
    });
    let call = said.call.as_ref().map(|call| {
        let mut item = json!({
            "id": said.id("item"), "call_id": said.id("call"), "name": call.name, "status": "completed",
        });
        if call.input.is_string() {
            item["type"] = "custom_tool_call".into();
            item["input"] = call.input.clone();
        } else {
            let of_server = call.name.rsplit_once("__").filter(|_| call.name.starts_with(SERVER));
            if let Some((group, tool)) = of_server {
                item["namespace"] = group.into();
                item["name"] = tool.into();
            }
            item["type"] = "function_call".into();
            item["arguments"] = call.input.to_string().into();
        }
        item
    });
    [text].into_iter().chain(call).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::offer::Call;

    #[test]
    fn a_tool_of_an_mcp_server_has_the_name_of_its_group_before_its_own() {
        let group = |name: &str| json!({"type": "namespace", "name": name, "tools": [{"type": "function", "name": "add"}]});
        assert_eq!(names(&group("mcp__memory")), ["mcp__memory__add"]);
        assert_eq!(names(&group("agents")), ["add"]);
        let call = Call { name: "mcp__memory__add", input: json!({}) };
        let said = Message { number: 1, text: String::new(), call: Some(call), input: 0 };
        let item = &items(&said)[1];
        assert_eq!((&item["namespace"], &item["name"]), (&"mcp__memory".into(), &"add".into()));
    }
}
