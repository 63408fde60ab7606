//! The stream of JSON lines that Claude Code introduced and others speak too: read once, for all of them.
//!
//! Starts no agent. Where one speaker differs from the next, its [`Dialect`] says so.

mod denials;
mod ending;

use ralph_core::{ending::Ending, handoff::Handoff, usage::Usage};

use denials::Denials;
pub(super) use ending::{Dialect, Refusal};
use ending::{EndFacts, ResultFacts};

use crate::{
    event::AgentEvent,
    exit::ExitFacts,
    failure::Failure,
    json::{Json, texts},
    json_lines::{JsonLines, StreamReader},
    port::LineParser,
    reset,
    stream_state::{StreamState, dollars, name, tokens, tokens_with_cached},
};

/// The model's name on text that the CLI made itself.
const SYNTHETIC: &str = "<synthetic>";

/// A parser of the format as this agent speaks it.
pub(super) fn parser(dialect: Dialect) -> Box<dyn LineParser> {
    let facts = EndFacts { dialect, ..EndFacts::default() };
    JsonLines::parser(StreamJson { facts, ..StreamJson::default() })
}

#[derive(Default)]
struct StreamJson {
    facts: EndFacts,
    denials: Denials,
    /// The message whose tokens were counted last: its lines repeat them.
    counted: String,
    /// Tokens of all messages so far.
    so_far: Usage,
}

impl StreamReader for StreamJson {
    fn line(&mut self, line: Json<'_>, state: &mut StreamState) -> bool {
        match &*line.text("type") {
            "assistant" => self.assistant(line, state),
            "user" => self.user(line, state),
            "result" => self.result(line, state),
            "system" => system(line, state),
            "rate_limit_event" => self.rate_limit(line.get("rate_limit_info"), state),
            "stream_event" => {}
            _ => return false,
        }
        true
    }

    fn ending(&mut self, state: &mut StreamState, exit: &ExitFacts) -> Ending {
        let ending = self.facts.ending(state, exit);
        if let Some(result) = self.facts.result.take().filter(|result| result.is_error) {
            state.failure.get_or_insert(result.failure);
        }
        ending
    }
}

impl StreamJson {
    fn assistant(&mut self, line: Json<'_>, state: &mut StreamState) {
        let [message, error, parent] = line.fields(["message", "error", "parent_tool_use_id"]);
        if !message.is_object() {
            return;
        }
        let [content, model, usage, id] = message.fields(["content", "model", "usage", "id"]);
        let error = error.as_text();
        if model.as_text() == SYNTHETIC || !error.is_empty() || self.is_error_text(content) {
            // Text that the CLI made: an error message.
            let text = content.joined();
            state.note(&text);
            let status = line.count("api_error_status");
            state.failure = Some(Failure { error: error.into(), status, ..Failure::said(&text) });
            return;
        }
        state.failure = None;
        self.count(usage, &name(&id.as_text()), state);
        // Text of a subagent is progress, never the last message.
        let is_own = parent.as_text().is_empty();
        let say = if is_own { StreamState::say } else { StreamState::note };
        if content.is_text() {
            say(state, &content.as_text());
        }
        for block in content.items() {
            let [kind, text, id, tool, input] =
                block.fields(["type", "text", "id", "name", "input"]);
            match &*kind.as_text() {
                "text" => say(state, &text.as_text()),
                "thinking" => state.think(&block.text("thinking")),
                "tool_use" => {
                    let (id, tool) = (id.as_text(), tool.as_text());
                    self.denials.started(&id, &tool);
                    state.tool_start(&id, &tool, input.raw());
                }
                _ => {}
            }
        }
    }

    /// Tokens of a message, which each of its lines repeats; what comes out is known only at the end.
    fn count(&mut self, usage: Json<'_>, id: &str, state: &mut StreamState) {
        let used = self.tokens(usage);
        if (id.is_empty() || id != self.counted) && used.tokens() > 0 {
            id.clone_into(&mut self.counted);
            self.so_far.add(used);
            state.events.push(AgentEvent::Spent { usage: self.so_far });
        }
    }

    /// Whether the tool made this message of a failed request, without marking it.
    fn is_error_text(&self, content: Json<'_>) -> bool {
        let lead = self.facts.dialect.error_text;
        let first = || content.items().into_iter().find(|block| block.is_object());
        !lead.is_empty() && first().is_some_and(|block| block.text("text").starts_with(lead))
    }

    fn user(&mut self, line: Json<'_>, state: &mut StreamState) {
        for block in line.get("message").get("content").items() {
            let [kind, id, content] = block.fields(["type", "tool_use_id", "content"]);
            if kind.as_text() == "tool_result" {
                let id = id.as_text();
                let is_error = block.truth("is_error") == Some(true);
                state.tool_end(&id, &content.joined(), is_error);
                self.denial(line, &id, state);
            }
        }
    }

    /// Reports a tool call that was not allowed; the tool's result says why.
    fn denial(&mut self, line: Json<'_>, id: &str, state: &mut StreamState) {
        let metas = line.get("tool_result_meta").items();
        let meta = metas.into_iter().find(|meta| meta.is_object() && meta.text("id") == id);
        let decision = meta.unwrap_or_default().get("permission_decision").text("decision");
        if decision == "reject" && self.denials.is_new(id) {
            state.denied(self.denials.tool(id), &line.text("tool_use_result"));
        }
    }

    fn result(&mut self, line: Json<'_>, state: &mut StreamState) {
        let subtype = line.text("subtype");
        let is_error = match line.truth("is_error") {
            Some(is_error) => is_error,
            // A line that says neither how it went nor what it is ends nothing.
            None if subtype.is_empty() => return,
            None => subtype != "success",
        };
        let result = line.get("result");
        let text: String = if result.is_text() {
            result.as_text().into()
        } else {
            let errors = line.get("errors").items().into_iter().map(Json::as_text);
            texts(errors.chain([line.get("error").words()]))
        };
        if !is_error && !text.is_empty() {
            state.keep(&text);
        }
        let answers = ["structured_output", "structured_result"].map(|field| line.get(field).raw());
        let answer = answers.into_iter().find(|answer| !answer.is_empty());
        state.structured = answer.and_then(Handoff::from_json);
        let usage = line.get("usage");
        let used = if usage.is_object() { self.tokens(usage) } else { self.so_far };
        state.usage = Usage { cost: dollars(line, "total_cost_usd"), ..used };
        state.window = window(line.get("modelUsage"), &state.model);
        state.set_session(&line.text("session_id"));
        let denials = line.get("permission_denials").items();
        for denial in denials.into_iter().filter(|denial| denial.is_object()) {
            if self.denials.is_new(&denial.text("tool_use_id")) {
                state.denied(&denial.text("tool_name"), "");
            }
        }
        state.turn_over(is_error, &text, line.small("num_turns"));
        self.facts.result = Some(ResultFacts {
            is_error,
            subtype: subtype.into(),
            terminal_reason: line.text("terminal_reason").into(),
            stop_reason: line.text("stop_reason").into(),
            failure: Failure {
                error: line.first_text(["api_error", "error"]).into(),
                status: line.count("api_error_status"),
                ..Failure::said(&text)
            },
        });
    }

    fn rate_limit(&mut self, info: Json<'_>, state: &mut StreamState) {
        if !info.is_object() {
            return;
        }
        let status = name(&info.text("status"));
        let resets_at = reset::at_second(info.count("resetsAt"));
        self.facts.is_rejected = status == "rejected";
        self.facts.resets_at = resets_at.filter(|_| self.facts.is_rejected);
        let utilization = info.number("utilization");
        state.events.push(AgentEvent::RateLimit { status, resets_at, utilization });
    }

    fn tokens(&self, counts: Json<'_>) -> Usage {
        let read = if self.facts.dialect.input_has_cached { tokens_with_cached } else { tokens };
        let names = [
            "input_tokens",
            "output_tokens",
            "cache_read_input_tokens",
            "cache_creation_input_tokens",
        ];
        read(counts, names)
    }
}

fn system(line: Json<'_>, state: &mut StreamState) {
    match &*line.text("subtype") {
        "init" => state.began(&line.text("session_id"), &line.text("model")),
        "api_retry" => {
            let failure = Failure {
                error: line.text("error").into(),
                status: line.count("error_status"),
                text: String::new(),
            };
            let nth = (line.small("attempt"), line.small("max_retries"));
            state.retries(failure, nth, Some(line.count("retry_delay_ms")));
        }
        "informational" | "model_fallback" | "notification" => {
            state.note(&line.first_text(["content", "text"]));
        }
        _ => {}
    }
}

/// The context window of the model that worked; helpers may have had others.
fn window(used: Json<'_>, model: &str) -> Option<u64> {
    let models: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(used.raw()).ok()?;
    let of = |usage: &serde_json::Value| usage["contextWindow"].as_u64().filter(|size| *size > 0);
    models.get(model).and_then(of).or_else(|| models.values().filter_map(of).max())
}
