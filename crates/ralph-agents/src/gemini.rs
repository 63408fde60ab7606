//! Gemini CLI: its command line, its stream and its endings.
//!
//! Must never set `GEMINI_CLI_TRUST_WORKSPACE` without trust: that loads the repository's settings, which nobody has
//! read yet.

#[cfg(test)]
mod tests;

use ralph_core::{
    agent_facts::{ConfigHome, Facts, Key, KeyHeader, Relay, Request, ServiceKey, Spending},
    effect::AgentCall,
    ending::Ending,
    usage::Usage,
};
use ralph_text::cut;

use super::{
    event::{AgentEvent, SHOWN},
    exit::ExitFacts,
    failure::Failure,
    json::Json,
    json_lines::{JsonLines, StreamReader},
    port::{Agent, CommandProblem, CommandSpec, LineParser, PLAIN, Place},
    stream_state::{StreamState, tokens_with_cached},
};

const RELAY: Relay = Relay {
    name: "gemini",
    base_url: "GOOGLE_GEMINI_BASE_URL",
    base_url_option: None,
    keys: &[Key {
        variable: "GEMINI_API_KEY",
        header: KeyHeader::XGoogApiKey,
        stand_in: "kept-outside",
    }],
    upstream: Some("https://generativelanguage.googleapis.com"),
    replaces_login: false,
    requests: &[
        Request::post("/v1beta/models/*:generateContent"),
        Request::post("/v1beta/models/*:streamGenerateContent"),
        Request::post("/v1beta/models/*:countTokens"),
        Request::post("/v1beta/models/*:embedContent"),
        Request::get("/v1beta/models"),
        Request::get("/v1beta/models/*"),
        Request::post("/v1/models/*:generateContent"),
        Request::post("/v1/models/*:streamGenerateContent"),
        Request::post("/v1/models/*:countTokens"),
    ],
    headers: None,
};

/// What people set it up with.
const VARIABLES: &[&str] = &[
    "GEMINI_DEFAULT_AUTH_TYPE",
    "GEMINI_MODEL",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_GENAI_USE_GCA",
    "GOOGLE_GENAI_USE_VERTEXAI",
];

/// See the module.
pub(super) struct Gemini;

impl Agent for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn facts(&self) -> Facts {
        Facts {
            package: "@google/gemini-cli",
            tested: "0.61.0",
            spending: Spending::Tokens,
            names_session: true,
            tells_reset: true,
            hosts: &[
                "generativelanguage.googleapis.com",
                "cloudcode-pa.googleapis.com",
                "oauth2.googleapis.com",
            ],
            relay: Some(RELAY),
            keys: &[ServiceKey { variable: "GOOGLE_API_KEY", host: "aiplatform.googleapis.com" }],
            variables: VARIABLES,
            login_files: &[
                ".gemini/oauth_creds.json",
                ".gemini/google_accounts.json",
                ".gemini/gemini-credentials.json",
            ],
            config_files: &[
                ".gemini/settings.json",
                ".gemini/.env",
                ".gemini/installation_id",
                ".gemini/GEMINI.md",
            ],
            config_home: Some(ConfigHome { variable: "GEMINI_CLI_HOME", below: ".gemini" }),
            ..PLAIN
        }
    }

    fn command(&self, call: &AgentCall, _: &Place) -> Result<CommandSpec, CommandProblem> {
        let fixed = ["-o", "stream-json", "--approval-mode", "yolo", "--skip-trust"];
        let (mut spec, own) = CommandSpec::begin(call, &fixed)?;
        spec.option("-m", &call.model);
        spec.args.extend(own);
        // Signals reach only the process that was started, so that must be the one that works.
        spec.env.push(("GEMINI_CLI_NO_RELAUNCH".into(), "true".into()));
        if call.loadable.is_trusted() {
            spec.env.push(("GEMINI_CLI_TRUST_WORKSPACE".into(), "true".into()));
        }
        Ok(spec)
    }

    fn parser(&self, _: &AgentCall) -> Box<dyn LineParser> {
        JsonLines::parser(Stream::default())
    }
}

/// Most lines that a notice of a retry has.
const NOTICE_LINES: u32 = 20;
/// Why a tool call was refused, as its result says it.
const DENIED: &str = "policy_violation";
/// HTTP statuses that tell something, of which the CLI makes exit codes by cutting them to a byte.
const STATUSES: [u64; 8] = [401, 403, 429, 500, 502, 503, 504, 529];

/// Its stream. It exits with 0 after a signal too: only a `result` that says so is a success.
#[derive(Default)]
struct Stream {
    end: Option<End>,
    /// The last message may still go on; its text is shown when it is whole.
    is_speaking: bool,
    /// A notice of a retry of which the last line has not come yet.
    notice: Option<Notice>,
    /// The model's answer to one request is under way.
    is_answering: bool,
    turns: u32,
}

/// A notice on its error output, the only place that mentions retries:
/// `Attempt 1 failed: WHY. Retrying after 5303ms...` or
/// `Attempt 1 failed with status 529. Retrying with backoff... WHY`, where WHY may hold line breaks.
struct Notice {
    attempt: u32,
    failure: Failure,
    lines: u32,
}

/// How the stream says that the turn is over.
enum End {
    Succeeded,
    Failed {
        /// The CLI's own name of it: `FatalTurnLimitedError`, or `unknown`.
        kind: String,
        failure: Failure,
    },
}

impl StreamReader for Stream {
    fn line(&mut self, line: Json<'_>, state: &mut StreamState) -> bool {
        let kind = line.text("type");
        if kind != "message" {
            self.spoke(state);
        }
        match &*kind {
            "init" => state.began(&line.text("session_id"), &line.text("model")),
            "message" => self.message(line, state),
            "tool_use" => {
                self.answers();
                let (id, tool) = (line.text("tool_id"), line.text("tool_name"));
                state.tool_start(&id, &tool, line.get("parameters").raw());
            }
            "tool_result" => self.tool_result(line, state),
            "error" => state.note(&line.text("message")),
            "result" => self.result(line, state),
            _ => return false,
        }
        true
    }

    fn error_line(&mut self, line: &[u8], state: &mut StreamState) {
        let line = String::from_utf8_lossy(line);
        if let Some(attempt) = attempt(&line) {
            let failure = Failure::said(&line);
            state.failure = Some(failure.clone());
            self.notice = Some(Notice { attempt, failure, lines: 0 });
        }
        let Some(notice) = &mut self.notice else {
            return;
        };
        notice.lines += 1;
        let delay_ms = delay(&line);
        if delay_ms.is_some() || line.contains("Retrying with backoff") {
            let failure = std::mem::take(&mut notice.failure);
            state.retries(failure, (notice.attempt, 0), delay_ms);
            self.notice = None;
        } else if notice.lines == NOTICE_LINES {
            self.notice = None;
        }
    }

    fn ending(&mut self, state: &mut StreamState, exit: &ExitFacts) -> Ending {
        match self.end.take() {
            Some(End::Succeeded) => {
                state.failure = None;
                StreamState::success(exit)
            }
            Some(End::Failed { kind, failure }) => {
                let ending = match failure.ending() {
                    _ if kind == "FatalTurnLimitedError" => Ending::MaxTurns,
                    Some(ending) => ending,
                    None => of_code(exit).unwrap_or_else(|| state.failed(&failure)),
                };
                state.failure = Some(failure);
                ending
            }
            None => of_code(exit)
                .filter(|_| exit.signal.is_none())
                .unwrap_or_else(|| state.without_end(exit)),
        }
    }
}

impl Stream {
    /// One piece of a message; the prompt comes back as one of the user's and is nobody's words.
    fn message(&mut self, line: Json<'_>, state: &mut StreamState) {
        if line.text("role") != "assistant" {
            return;
        }
        if line.truth("delta") != Some(true) || !self.is_speaking {
            self.spoke(state);
            state.keep("");
        }
        self.answers();
        state.failure = None;
        state.keep_piece(&line.text("content"));
        self.is_speaking = true;
    }

    /// Words and tool calls up to a tool's result are one answer.
    fn answers(&mut self) {
        if !std::mem::replace(&mut self.is_answering, true) {
            self.turns = self.turns.saturating_add(1);
        }
    }

    /// The message under way is over.
    fn spoke(&mut self, state: &mut StreamState) {
        if std::mem::take(&mut self.is_speaking) {
            let text = cut::ellipsis(&state.last_message, SHOWN);
            state.events.push(AgentEvent::Text { text });
        }
    }

    /// A command that fails is shown as a success without its exit code: only what is called an error is one.
    fn tool_result(&mut self, line: Json<'_>, state: &mut StreamState) {
        self.is_answering = false;
        let (id, problem) = (line.text("tool_id"), line.get("error"));
        let (output, said) = (line.text("output"), problem.text("message"));
        let output = if output.is_empty() { &said } else { &output };
        state.tool_end(&id, output, line.text("status") == "error");
        if problem.text("type") == DENIED {
            state.denied(id.split("__").next().unwrap_or_default(), &said);
        }
    }

    fn result(&mut self, line: Json<'_>, state: &mut StreamState) {
        state.usage = usage(line.get("stats"));
        let problem = line.get("error");
        let said = problem.words();
        let is_error = line.text("status") != "success";
        let text = if is_error { said.to_string() } else { state.last_message.clone() };
        state.turn_over(is_error, &text, self.turns);
        let failed =
            || End::Failed { kind: problem.text("type").into(), failure: Failure::said(&said) };
        self.end = Some(if is_error { failed() } else { End::Succeeded });
    }
}

/// The number in `Attempt 3 failed`.
fn attempt(line: &str) -> Option<u32> {
    let (number, _) = line.trim_start().strip_prefix("Attempt ")?.split_once(" failed")?;
    number.trim().parse().ok()
}

/// The milliseconds in `Retrying after 5303ms`.
fn delay(line: &str) -> Option<u64> {
    let (_, after) = line.split_once("Retrying after ")?;
    after.split_once("ms")?.0.trim().parse().ok()
}

/// What the exit code alone says.
fn of_code(exit: &ExitFacts) -> Option<Ending> {
    let code = exit.code?;
    match code {
        41 => return Some(Ending::AuthFailed { detail: exit.describe() }),
        // Input, sandbox, configuration or folder trust: it would be the same the next time.
        42 | 44 | 52 | 55 => return Some(Ending::NotFound { detail: exit.describe() }),
        53 => return Some(Ending::MaxTurns),
        _ => {}
    }
    let byte = u64::try_from(code).ok()?;
    let status = STATUSES.into_iter().find(|status| status % 256 == byte)?;
    Failure { status, text: exit.describe(), ..Failure::default() }.ending()
}

fn usage(stats: Json<'_>) -> Usage {
    let usage = tokens_with_cached(stats, ["input_tokens", "output_tokens", "cached", ""]);
    // Thoughts are paid for like words, and only the total has them.
    let said = stats.count("total_tokens").saturating_sub(stats.count("input_tokens"));
    Usage { output: usage.output.max(said), ..usage }
}
