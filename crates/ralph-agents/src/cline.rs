//! Cline: its command line, its stream and its endings.
//!
//! It takes its prompt only as an argument and leaves a daemon behind, which ends with its process tree. It gets
//! no data folder of its own: its login is kept there.

#[cfg(test)]
mod tests;

use ralph_core::{
    agent_facts::{Facts, PromptBy, Spending},
    effect::AgentCall,
    ending::Ending,
    usage::Usage,
};

use super::{
    exit::{ExitFacts, detail},
    failure::Failure,
    json::{Json, texts},
    json_lines::{JsonLines, StreamReader},
    port::{Agent, CommandProblem, CommandSpec, LineParser, PLAIN, Place, prompt_argument},
    services,
    stream_state::{StreamState, dollars, name, tokens_with_cached},
};

/// See the module.
pub(super) struct Cline;

impl Agent for Cline {
    fn name(&self) -> &'static str {
        "cline"
    }

    fn facts(&self) -> Facts {
        Facts {
            package: "cline",
            tested: "3.0.65",
            prompt: PromptBy::Argument,
            spending: Spending::Money,
            names_session: true,
            hosts: &["api.cline.bot", "api.anthropic.com", "api.openai.com"],
            keys: services::ALL,
            variables: &["CLINE_MODEL", "CLINE_PROVIDER", "CLINE_TELEMETRY_DISABLED"],
            config_files: &[
                ".cline/data/settings/providers.json",
                ".cline/data/globalState.json",
                ".cline/data/secrets.json",
            ],
            ..PLAIN
        }
    }

    fn command(&self, call: &AgentCall, _: &Place) -> Result<CommandSpec, CommandProblem> {
        let (mut spec, own) = CommandSpec::begin(call, &["--json"])?;
        spec.stdin.clear();
        spec.option("-m", &call.model);
        spec.args.extend(own);
        let mut prompt = prompt_argument(call)?;
        if prompt.starts_with('-') {
            // It would be taken for an option.
            prompt.insert(0, '\n');
        }
        spec.args.push(prompt);
        spec.env.push(("CLINE_NO_AUTO_UPDATE".into(), "1".into()));
        Ok(spec)
    }

    fn parser(&self, call: &AgentCall) -> Box<dyn LineParser> {
        JsonLines::parser(Stream { model: call.model.clone(), ..Stream::default() })
    }
}

/// Tokens of a whole call, and of the call so far.
const TOKENS: [&str; 4] = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"];
const TOTALS: [&str; 4] =
    ["totalInputTokens", "totalOutputTokens", "totalCacheReadTokens", "totalCacheWriteTokens"];

/// Its stream. Its content begins anew with every piece, each holding all that came before: only an end is shown.
#[derive(Default)]
struct Stream {
    /// The model that was asked for, until the end names the one that worked.
    model: String,
    /// The tool call that began last: its beginning may come in pieces.
    tool: String,
    /// How it says that it finished.
    finish: Option<String>,
    /// The error that ended it, as its events say it.
    error: Option<Failure>,
    /// The last error on its error output.
    complaint: Option<Failure>,
}

impl StreamReader for Stream {
    fn line(&mut self, line: Json<'_>, state: &mut StreamState) -> bool {
        match &*line.text("type") {
            "hook_event" => self.hook(line, state),
            "agent_event" => self.event(line.get("event"), state),
            "run_result" => self.result(line, state),
            "error" => self.complaint = Some(Failure::said(&line.text("message"))),
            _ => return false,
        }
        true
    }

    /// It repeats its errors here; those before it began are only here.
    fn error_line(&mut self, line: &[u8], _: &mut StreamState) {
        let mut copy = String::new();
        let line = Json::line(line, &mut copy).unwrap_or_default();
        if line.text("type") == "error" {
            self.complaint = Some(Failure::said(&line.text("message")));
        }
    }

    fn ending(&mut self, state: &mut StreamState, exit: &ExitFacts) -> Ending {
        let ending = self.how_it_ended(state, exit);
        state.failure = self.error.take().or(state.failure.take()).or(self.complaint.take());
        ending
    }
}

impl Stream {
    fn hook(&mut self, line: Json<'_>, state: &mut StreamState) {
        let is_own = line.text("parentAgentId").is_empty();
        if is_own && state.session.is_none() && line.text("hookEventName") == "agent_start" {
            state.began(&line.text("taskId"), &std::mem::take(&mut self.model));
        }
    }

    fn event(&mut self, event: Json<'_>, state: &mut StreamState) {
        match (&*event.text("type"), &*event.text("contentType")) {
            ("content_start", "tool") => self.tool_start(event, state),
            ("content_start", "text") => {
                state.failure = None;
                state.keep(&event.text("accumulated"));
            }
            ("content_end", "tool") => tool_end(event, state),
            ("content_end", "text") => state.say(&event.text("text")),
            ("content_end", "reasoning") => state.think(&event.first_text(["reasoning", "text"])),
            ("usage", _) => state.spent(usage(event, TOTALS)),
            ("notice", _) => state.note(&event.text("message")),
            ("error", _) => self.failed(event, state),
            _ => {}
        }
    }

    fn tool_start(&mut self, event: Json<'_>, state: &mut StreamState) {
        let id = name(&event.text("toolCallId"));
        if id.is_empty() || id != self.tool {
            state.tool_start(&id, &event.text("toolName"), event.get("input").raw());
            self.tool = id;
        }
    }

    fn failed(&mut self, event: Json<'_>, state: &mut StreamState) {
        let said = Failure::said(&event.get("error").words());
        let failure = Failure { error: event.text("errorClass").into(), ..said };
        if event.truth("recoverable") == Some(true) {
            state.retries(failure, (0, 0), None);
        } else {
            state.note(&failure.text);
            self.error = Some(failure);
        }
    }

    fn result(&mut self, line: Json<'_>, state: &mut StreamState) {
        let (finish, text) = (line.text("finishReason"), line.text("text"));
        let is_error = finish != "completed";
        if !is_error && !text.is_empty() {
            state.keep(&text);
        }
        let model = line.get("model");
        if model.is_object() {
            state.model = name(&model.text("id"));
        }
        let counts = ["aggregateUsage", "usage"].map(|field| line.get(field));
        if let Some(counts) = counts.into_iter().find(|counts| counts.is_object()) {
            state.usage = usage(counts, TOKENS);
        }
        state.turn_over(is_error, &text, line.small("iterations"));
        if is_error && self.error.is_none() {
            self.error = Some(Failure::said(&text));
        }
        self.finish = Some(name(&finish));
    }

    fn how_it_ended(&self, state: &StreamState, exit: &ExitFacts) -> Ending {
        match self.finish.as_deref() {
            Some("completed") if exit.is_clean() => return Ending::Ok,
            Some("max_iterations") => return Ending::MaxTurns,
            _ => {}
        }
        let failures = [&self.error, &state.failure, &self.complaint];
        if let Some(ending) = failures.into_iter().flatten().find_map(Failure::ending) {
            return ending;
        }
        match (&self.error, &self.complaint) {
            (Some(error), _) => Ending::Crashed { detail: detail(&error.text) },
            // It complained before anything began: our command line or its own settings are wrong.
            (None, Some(said)) if state.understood == 0 => {
                Ending::NotFound { detail: detail(&said.text) }
            }
            _ => state.without_end(exit),
        }
    }
}

fn tool_end(event: Json<'_>, state: &mut StreamState) {
    let output = event.get("output");
    let parts = if output.is_object() { vec![output] } else { output.items() };
    let error = event.get("error").words();
    let is_error =
        !error.is_empty() || parts.iter().any(|part| part.truth("success") == Some(false));
    let said = parts.iter().map(|part| part.first_text(["result", "error"]));
    let text = texts(said.chain([output.as_text(), error]));
    state.tool_end(&event.text("toolCallId"), &text, is_error);
}

fn usage(counts: Json<'_>, names: [&str; 4]) -> Usage {
    Usage { cost: dollars(counts, "totalCost"), ..tokens_with_cached(counts, names) }
}
