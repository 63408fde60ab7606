//! Copilot CLI: its command line, its stream and its endings.

#[cfg(test)]
mod tests;

use ralph_core::{
    agent_facts::{ConfigHome, Facts, Key, KeyHeader, PromptBy, Relay, Request, ServiceKey},
    effect::AgentCall,
    ending::Ending,
};

use super::{
    exit::{ExitFacts, cause, detail},
    failure::Failure,
    json::Json,
    json_lines::{JsonLines, StreamReader},
    port::{Agent, CommandProblem, CommandSpec, LineParser, PLAIN, Place, prompt_argument},
    stream_state::StreamState,
    watch::AUTHENTICATION_FAILED,
};

/// Only for a provider of the user's own: its own service has no address that could be moved.
const RELAY: Relay = Relay {
    name: "provider",
    base_url: "COPILOT_PROVIDER_BASE_URL",
    base_url_option: None,
    keys: &[Key {
        variable: "COPILOT_PROVIDER_API_KEY",
        header: KeyHeader::Bearer,
        stand_in: "kept-outside",
    }],
    upstream: None,
    replaces_login: false,
    // The provider can be of OpenAI's, of Azure's or of Anthropic's kind.
    requests: &[
        Request::post("/chat/completions"),
        Request::post("/responses"),
        Request::post("/messages"),
        Request::post("/v1/messages"),
        Request::post("/v1/chat/completions"),
        Request::post("/v1/responses"),
        Request::post("/openai/deployments/*/chat/completions"),
        Request::post("/openai/v1/chat/completions"),
        Request::post("/openai/v1/responses"),
        Request::get("/models"),
        Request::get("/v1/models"),
    ],
    headers: None,
};

/// Its login, where it is not in its own files: a keyring is not to be reached from a box.
const KEYS: &[ServiceKey] = &[
    ServiceKey { variable: "COPILOT_GITHUB_TOKEN", host: "api.githubcopilot.com" },
    ServiceKey { variable: "GH_TOKEN", host: "api.githubcopilot.com" },
    ServiceKey { variable: "GITHUB_TOKEN", host: "api.githubcopilot.com" },
];

/// See the module.
pub(super) struct Copilot;

impl Agent for Copilot {
    fn name(&self) -> &'static str {
        "copilot"
    }

    fn facts(&self) -> Facts {
        Facts {
            package: "@github/copilot",
            tested: "1.0.102",
            prompt: PromptBy::Argument,
            names_session: true,
            hosts: &["api.github.com", "*.githubcopilot.com"],
            relay: Some(RELAY),
            keys: KEYS,
            variables: &["COPILOT_MODEL", "COPILOT_OFFLINE", "COPILOT_PROVIDER_*", "GH_HOST"],
            config_files: &[".copilot/config.json", ".copilot/settings.json"],
            config_home: Some(ConfigHome { variable: "COPILOT_HOME", below: "" }),
            ..PLAIN
        }
    }

    fn command(&self, call: &AgentCall, _: &Place) -> Result<CommandSpec, CommandProblem> {
        let prompt = prompt_argument(call)?;
        let (mut spec, own) = CommandSpec::begin(call, &["-p", &prompt])?;
        spec.stdin.clear();
        spec.args.extend(
            ["--output-format", "json", "--allow-all", "--no-ask-user", "--no-auto-update"]
                .map(str::to_owned),
        );
        spec.option("--model", &call.model);
        if call.loadable.is_trusted() {
            spec.args.push("--trust-folder".into());
        }
        spec.args.extend(own);
        Ok(spec)
    }

    fn parser(&self, _: &AgentCall) -> Box<dyn LineParser> {
        JsonLines::parser(Stream::default())
    }
}

/// Its complaint about a login that is missing, on standard error before any JSON.
const NO_LOGIN: &str = "No authentication information found";
/// How the types of lines begin of which most say nothing new.
const KNOWN: [&str; 5] = ["session.", "assistant.", "model.", "tool.", "user."];

/// Its stream: it succeeded only if its result says 0, no error came and the process agrees.
#[derive(Default)]
struct Stream {
    /// What the `result` line says, if one came.
    succeeded: Option<bool>,
    /// The last `session.error`.
    error: Option<Failure>,
    turns: u32,
}

impl StreamReader for Stream {
    fn line(&mut self, line: Json<'_>, state: &mut StreamState) -> bool {
        let data = line.get("data");
        match &*line.text("type") {
            "session.tools_updated" => {
                let model = data.text("model");
                if !model.is_empty() && model != state.model {
                    state.began("", &model);
                }
            }
            "session.error" => self.session_error(data, state),
            "session.info" | "session.warning" => state.note(&data.text("message")),
            "assistant.turn_start" => self.turns = self.turns.saturating_add(1),
            // The model answers, whatever failed before.
            "assistant.message_start" => state.failure = None,
            "assistant.message" => message(data, state),
            "assistant.reasoning" => state.think(&data.text("content")),
            "assistant.turn_retry" => turn_retry(data, state),
            "model.call_failure" => call_failure(data, state),
            "tool.execution_start" => {
                let (id, tool) = (data.text("toolCallId"), data.text("toolName"));
                state.tool_start(&id, &tool, data.get("arguments").raw());
            }
            "tool.execution_complete" => tool_complete(data, state),
            "result" => self.result(line, state),
            kind => return KNOWN.iter().any(|lead| kind.starts_with(lead)),
        }
        true
    }

    fn ending(&mut self, state: &mut StreamState, exit: &ExitFacts) -> Ending {
        if let Some(error) = self.error.take() {
            let ending = state.failed(&error);
            state.failure = Some(error);
            return ending;
        }
        match self.succeeded {
            Some(true) if exit.is_clean() => Ending::Ok,
            Some(_) => state.failure.as_ref().and_then(Failure::ending).unwrap_or_else(|| {
                Ending::Crashed {
                    detail: format!("its result is not a success; {}", exit.describe()),
                }
            }),
            None if state.understood == 0 && exit.stderr_tail.contains(NO_LOGIN) => {
                Ending::AuthFailed { detail: detail(&cause(&exit.stderr_tail)) }
            }
            None => state.without_end(exit),
        }
    }
}

impl Stream {
    fn session_error(&mut self, data: Json<'_>, state: &mut StreamState) {
        let said = data.text("message");
        state.note(&said);
        self.error = Some(Failure {
            error: data.text("errorType").into(),
            status: data.count("statusCode"),
            ..Failure::said(&said)
        });
    }

    fn result(&mut self, line: Json<'_>, state: &mut StreamState) {
        state.set_session(&line.text("sessionId"));
        let succeeded = line.number("exitCode") == Some(0.0);
        self.succeeded = Some(succeeded);
        let error = self.error.as_ref();
        let text = error.map_or(&state.last_message, |error| &error.text).clone();
        state.turn_over(!succeeded || error.is_some(), &text, self.turns);
    }
}

/// Words of the agent; those of a subagent are progress, never its last words.
fn message(data: Json<'_>, state: &mut StreamState) {
    state.think(&data.text("reasoningText"));
    let text = data.text("content");
    if !data.text("parentToolCallId").is_empty() {
        state.note(&text);
    } else if !text.is_empty() {
        state.say(&text);
    }
}

/// A request that failed. It is reported before the wait, so that nobody waits for a login that is refused.
fn call_failure(data: Json<'_>, state: &mut StreamState) {
    let said = Failure::said(&data.text("errorMessage"));
    let failure = Failure { status: data.count("statusCode"), ..said };
    state.retries(failure, (data.small("retryAttempt").saturating_add(1), 0), None);
}

/// Another attempt begins; what failed was reported already, unless the line of the failure is missing.
fn turn_retry(data: Json<'_>, state: &mut StreamState) {
    if state.failure.is_some() {
        return;
    }
    let reason = data.text("reason");
    let error = if reason.contains("auth") { AUTHENTICATION_FAILED } else { &reason };
    state.retries(Failure { error: error.to_owned(), ..Failure::default() }, (0, 0), None);
}

/// A command that fails still counts as a success of the tool: its exit code tells.
fn tool_complete(data: Json<'_>, state: &mut StreamState) {
    let (id, problem, result) = (data.text("toolCallId"), data.get("error"), data.get("result"));
    let said = problem.words();
    let content = if result.is_object() { result.text("content") } else { result.as_text() };
    let code = data.get("shellExecution").number("exitCode");
    let is_error = code.is_some_and(|code| code != 0.0) || data.truth("success") == Some(false);
    state.tool_end(&id, if content.is_empty() { &said } else { &content }, is_error);
    if matches!(&*problem.text("code"), "denied" | "rejected") {
        let tool = data.text("toolName");
        state.denied(if tool.is_empty() { &id } else { &tool }, &said);
    }
}
