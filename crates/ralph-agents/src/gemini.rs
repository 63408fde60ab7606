//! Gemini CLI: its command line. Reading its stream is `gemini/parser.rs`, naming its endings `gemini/ending.rs`.
//!
//! Must never set `GEMINI_CLI_TRUST_WORKSPACE`: that loads the repository's settings, which nobody has read yet.

mod ending;
mod line;
mod parser;
mod retry;
#[cfg(test)]
mod tests;

use super::port::{Agent, CommandProblem, CommandSpec, LineParser, Place, invocation};
use ralph_core::agent_facts::{
    ConfigHome, Facts, HandoffBy, Key, KeyHeader, PromptBy, Relay, Request, ServiceKey, Spending,
};
use ralph_core::effect::AgentCall;

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
            handoff: HandoffBy::Block,
            prompt: PromptBy::Stdin,
            spending: Spending::Tokens,
            limits_turns: false,
            limits_money: false,
            names_session: true,
            tells_reset: true,
            login: None,
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
            is_experimental: false,
        }
    }

    fn command(&self, call: &AgentCall, _: &Place) -> Result<CommandSpec, CommandProblem> {
        let (program, own) = invocation(call)?;
        let mut args: Vec<String> =
            ["-o", "stream-json", "--approval-mode", "yolo", "--skip-trust"]
                .map(str::to_owned)
                .into();
        if !call.model.is_empty() {
            args.extend(["-m".to_owned(), call.model.clone()]);
        }
        args.extend(own);
        Ok(CommandSpec {
            program,
            args,
            env: environment(call),
            stdin: call.prompt.clone().into_bytes(),
            files: Vec::new(),
            home: Vec::new(),
        })
    }

    fn parser(&self, _: &AgentCall) -> Box<dyn LineParser> {
        Box::new(parser::GeminiParser::default())
    }
}

fn environment(call: &AgentCall) -> Vec<(String, String)> {
    // Signals reach only the process that was started, so that must be the one that works.
    let mut env = vec![("GEMINI_CLI_NO_RELAUNCH".to_owned(), "true".to_owned())];
    if call.loadable.is_trusted() {
        env.push(("GEMINI_CLI_TRUST_WORKSPACE".into(), "true".into()));
    }
    env
}
