//! OpenCode: its command line, its stream and its endings.

#[cfg(test)]
mod tests;

use ralph_core::{
    agent_facts::{Facts, Spending},
    effect::AgentCall,
    ending::Ending,
    usage::Usage,
};

use super::{
    exit::{ExitFacts, detail},
    failure::Failure,
    json::{Json, texts},
    json_lines::{JsonLines, StreamReader},
    port::{Agent, CommandProblem, CommandSpec, LineParser, PLAIN, Place},
    services,
    stream_state::{StreamState, dollars, name},
};

/// See the module.
pub(super) struct OpenCode;

impl Agent for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn facts(&self) -> Facts {
        Facts {
            package: "opencode-ai",
            tested: "1.18.33",
            spending: Spending::Money,
            names_session: true,
            hosts: &["opencode.ai", "models.dev", "api.anthropic.com", "api.openai.com"],
            keys: services::ALL,
            variables: &["OPENCODE_*"],
            login_files: &[".local/share/opencode/auth.json"],
            config_files: &[
                ".config/opencode/opencode.json",
                ".config/opencode/opencode.jsonc",
                ".config/opencode/AGENTS.md",
            ],
            ..PLAIN
        }
    }

    fn command(&self, call: &AgentCall, _: &Place) -> Result<CommandSpec, CommandProblem> {
        let fixed = [
            "run",
            "--format",
            "json",
            "--auto",
            // A request that it tries again appears only here, however long it waits.
            "--print-logs",
            "--log-level",
            "ERROR",
        ];
        let (mut spec, own) = CommandSpec::begin(call, &fixed)?;
        spec.option("-m", &call.model);
        spec.args.extend(own);
        let mut variables = vec!["OPENCODE_DISABLE_AUTOUPDATE"];
        if !call.loadable.is_trusted() {
            // Its plugins are loaded all the same; only a box that hides them keeps them out.
            variables
                .extend(["OPENCODE_DISABLE_PROJECT_CONFIG", "OPENCODE_DISABLE_EXTERNAL_SKILLS"]);
        }
        spec.env.extend(variables.into_iter().map(|name| (name.to_owned(), "1".to_owned())));
        Ok(spec)
    }

    fn parser(&self, call: &AgentCall) -> Box<dyn LineParser> {
        JsonLines::parser(Stream { model: call.model.clone(), ..Stream::default() })
    }
}

/// Its stream, with neither a first nor a last line: the end is a last step that says `stop`, no error, and exit 0.
#[derive(Default)]
struct Stream {
    /// The model that was asked for: the stream names none.
    model: String,
    /// Why the last step ended.
    reason: String,
    /// The error that ended it.
    error: Option<Failure>,
    /// Requests that failed.
    failed: u32,
}

impl StreamReader for Stream {
    fn line(&mut self, line: Json<'_>, state: &mut StreamState) -> bool {
        let session = line.text("sessionID");
        if state.session.is_none() && !session.is_empty() {
            state.began(&session, &std::mem::take(&mut self.model));
        }
        let part = line.get("part");
        match &*line.text("type") {
            "step_start" => self.reason.clear(),
            "text" if part.truth("synthetic") == Some(true) => {
                // It has made room in a full context and continues with the rest of the conversation.
                self.error = None;
                state.note(&part.text("text"));
            }
            "text" => state.say(&part.text("text")),
            "reasoning" => state.think(&part.text("text")),
            "tool_use" => tool(part, state),
            "step_finish" => {
                self.reason = name(&part.text("reason"));
                let mut usage = state.usage;
                usage.add(used(part));
                state.spent(usage);
            }
            "error" => self.failed(line.get("error"), state),
            _ => return false,
        }
        true
    }

    fn error_line(&mut self, line: &[u8], state: &mut StreamState) {
        if let Some(why) = failed_request(&String::from_utf8_lossy(line)) {
            self.failed = self.failed.saturating_add(1);
            state.retries(Failure::said(why), (self.failed, 0), None);
        }
    }

    fn ending(&mut self, state: &mut StreamState, exit: &ExitFacts) -> Ending {
        if let Some(error) = self.error.take() {
            let what = detail(if error.text.is_empty() { &error.error } else { &error.text });
            let ending = match error.error.as_str() {
                "ContentFilterError" => Ending::Refused { detail: what },
                _ => error.ending().unwrap_or(Ending::Crashed { detail: what }),
            };
            state.failure = Some(error);
            return ending;
        }
        match self.reason.as_str() {
            "stop" if exit.is_clean() => Ending::Ok,
            "content-filter" => Ending::Refused { detail: "its provider filtered it".into() },
            "" | "stop" => state.without_end(exit),
            reason => {
                let what = format!("its last step ended with {reason:?}; {}", exit.describe());
                Ending::Crashed { detail: detail(&what) }
            }
        }
    }
}

impl Stream {
    fn failed(&mut self, error: Json<'_>, state: &mut StreamState) {
        let data = error.get("data");
        let word = error.text("name");
        let word = match &*word {
            "ProviderAuthError" => "authentication",
            "ContextOverflowError" => "context_window_exceeded",
            name => name,
        };
        let failure = |text: &str| Failure {
            error: word.to_owned(),
            status: data.count("statusCode"),
            ..Failure::said(text)
        };
        let message = data.text("message");
        let mut said = failure(&message);
        if said.ending().is_none() {
            // Some providers say only in the body what their message leaves out.
            let whole = failure(&texts([message, data.text("responseBody")]));
            said = if whole.ending().is_some() { whole } else { said };
        }
        state.note(&said.text);
        self.error = Some(said);
    }
}

/// A tool call, which comes when it is over.
fn tool(part: Json<'_>, state: &mut StreamState) {
    let call = part.get("state");
    if !call.is_object() {
        return;
    }
    let id = part.text("callID");
    state.tool_start(&id, &part.text("tool"), call.get("input").raw());
    let exit = call.get("metadata").number("exit");
    let is_error = call.text("status") == "error" || exit.is_some_and(|code| code != 0.0);
    state.tool_end(&id, &texts([call.text("output"), call.text("error")]), is_error);
}

/// Why a request of the conversation failed, if a line of its log says that: requests by the way (for a title)
/// have a model of their own and are passed over.
fn failed_request(line: &str) -> Option<&str> {
    if !line.contains("message=\"stream error\"") || line.contains(" small=true ") {
        return None;
    }
    let (_, why) = line.split_once("error.error=\"")?;
    Some(why.rsplit_once('"').map_or(why, |(why, _)| why))
}

/// Tokens and money of one step.
fn used(part: Json<'_>) -> Usage {
    let tokens = part.get("tokens");
    let cache = tokens.get("cache");
    Usage {
        input: tokens.count("input"),
        output: tokens.count("output").saturating_add(tokens.count("reasoning")),
        cache_read: cache.count("read"),
        cache_write: cache.count("write"),
        cost: dollars(part, "cost"),
        ..Usage::default()
    }
}
