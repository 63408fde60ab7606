//! The Anthropic Messages dialect: requests are read, answers are written, whole or as a stream of events.

use std::{
    io::{self, Write},
    net::TcpStream,
};

use serde_json::{Value, json};

use super::{
    http,
    script::{Tool, USAGE},
};

/// A model's message.
pub(super) struct Message<'a> {
    pub number: usize,
    pub text: &'a str,
    pub tool: Option<&'a Tool>,
}

/// All text of a conversation, without the CLI's own instructions.
pub(super) fn conversation(body: &Value) -> String {
    let mut text = String::new();
    collect(&body["messages"], &mut text);
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

/// Answers with a message, in the way that was asked for.
pub(super) fn message(stream: &mut TcpStream, asked: &Value, said: &Message) -> io::Result<()> {
    if asked["stream"] != true {
        let mut whole = envelope(asked, said);
        whole["content"] = blocks(said).into();
        whole["stop_reason"] = stop_reason(said).into();
        return json(stream, 200, &[], &whole);
    }
    http::head(stream, 200, "text/event-stream", &[])?;
    event(stream, &json!({"type": "message_start", "message": envelope(asked, said)}))?;
    for (index, block) in blocks(said).into_iter().enumerate() {
        let (start, delta) = split(block);
        event(
            stream,
            &json!({"type": "content_block_start", "index": index, "content_block": start}),
        )?;
        event(stream, &json!({"type": "content_block_delta", "index": index, "delta": delta}))?;
        event(stream, &json!({"type": "content_block_stop", "index": index}))?;
    }
    let delta = json!({"stop_reason": stop_reason(said), "stop_sequence": null});
    event(stream, &json!({"type": "message_delta", "delta": delta, "usage": usage()}))?;
    event(stream, &json!({"type": "message_stop"}))
}

/// Answers with an error.
pub(super) fn error(
    stream: &mut TcpStream,
    status: u16,
    headers: &[(String, String)],
    (kind, message): (&str, &str),
) -> io::Result<()> {
    let error = json!({"type": kind, "message": message});
    json(stream, status, headers, &json!({"type": "error", "error": error}))
}

/// Answers with a JSON document.
pub(super) fn json(
    stream: &mut TcpStream,
    status: u16,
    headers: &[(String, String)],
    document: &Value,
) -> io::Result<()> {
    http::head(stream, status, "application/json", headers)?;
    write!(stream, "{document}")
}

/// The schema of a structured answer that a request asks for.
pub(super) fn schema(asked: &Value) -> Value {
    let mut tools = asked["tools"].as_array().into_iter().flatten();
    let tool = tools.find(|tool| tool["name"] == "StructuredOutput");
    tool.map(|tool| tool["input_schema"].clone()).unwrap_or_default()
}

fn event(stream: &mut TcpStream, data: &Value) -> io::Result<()> {
    write!(stream, "event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default())?;
    stream.flush()
}

fn envelope(asked: &Value, said: &Message) -> Value {
    json!({
        "id": format!("msg_scripted{}", said.number), "type": "message", "role": "assistant",
        "model": asked["model"], "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage(),
    })
}

fn blocks(said: &Message) -> Vec<Value> {
    let text = json!({"type": "text", "text": said.text});
    let tool = said.tool.map(|tool| {
        let id = format!("toolu_scripted{}", said.number);
        json!({"type": "tool_use", "id": id, "name": tool.name, "input": tool.input})
    });
    [text].into_iter().chain(tool).collect()
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
    if said.tool.is_some() { "tool_use" } else { "end_turn" }
}

fn usage() -> Value {
    json!({
        "input_tokens": USAGE.input, "output_tokens": USAGE.output,
        "cache_read_input_tokens": USAGE.cache_read, "cache_creation_input_tokens": USAGE.cache_write,
    })
}
