//! Copilot CLI: its command line. Reading its stream is `copilot/parser.rs`, naming its endings `copilot/ending.rs`.

mod ending;
mod line;
mod parser;
#[cfg(test)]
mod tests;

use super::port::{
    Agent, CommandProblem, CommandSpec, LineParser, Place, invocation, prompt_argument,
};
use ralph_core::agent_facts::{
    ConfigHome, Facts, HandoffBy, Key, KeyHeader, PromptBy, Relay, Request, ServiceKey, Spending,
};
use ralph_core::effect::AgentCall;

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
            handoff: HandoffBy::Block,
            prompt: PromptBy::Argument,
            spending: Spending::Nothing,
            limits_turns: false,
            limits_money: false,
            names_session: true,
            tells_reset: false,
            login: None,
            hosts: &["api.github.com", "*.githubcopilot.com"],
            relay: Some(RELAY),
            keys: KEYS,
            variables: &["COPILOT_MODEL", "COPILOT_OFFLINE", "COPILOT_PROVIDER_*", "GH_HOST"],
            login_files: &[],
            config_files: &[".copilot/config.json", ".copilot/settings.json"],
            config_home: Some(ConfigHome { variable: "COPILOT_HOME", below: "" }),
            is_experimental: false,
        }
    }

    fn command(&self, call: &AgentCall, _: &Place) -> Result<CommandSpec, CommandProblem> {
        let (program, own) = invocation(call)?;
        let mut args = vec!["-p".to_owned(), prompt_argument(call)?];
        args.extend(
            ["--output-format", "json", "--allow-all", "--no-ask-user", "--no-auto-update"]
                .map(str::to_owned),
        );
        if !call.model.is_empty() {
            args.extend(["--model".to_owned(), call.model.clone()]);
        }
        if call.loadable.is_trusted() {
            args.push("--trust-folder".into());
        }
        args.extend(own);
        Ok(CommandSpec {
            program,
            args,
            env: Vec::new(),
            stdin: Vec::new(),
            files: Vec::new(),
            home: Vec::new(),
        })
    }

    fn parser(&self, _: &AgentCall) -> Box<dyn LineParser> {
        Box::new(parser::CopilotParser::default())
    }
}
