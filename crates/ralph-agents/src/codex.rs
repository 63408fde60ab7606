//! Codex: its command line. Reading its stream is `codex/parser.rs`, naming its endings `codex/ending.rs`.
//!
//! Must never pass `--ignore-user-config`: that drops the login's provider too.

mod ending;
mod line;
mod parser;
#[cfg(test)]
mod tests;

use super::{
    port::{Agent, CommandProblem, CommandSpec, LineParser, Place, invocation},
    schema,
};
use crate::hooks::{Host, wiring};
use ralph_core::agent_facts::{
    ConfigHome, Facts, HandoffBy, Key, KeyHeader, PromptBy, Relay, Request, Spending,
};
use ralph_core::effect::AgentCall;
use ralph_core::effect::Loadable;

/// Name of the file that holds the schema of a call.
const SCHEMA: &str = "schema.json";
/// Name of the file, in the folder of its configuration, from which it reads hooks.
const HOOKS: &str = "hooks.json";

/// Its address stands in its configuration and in no variable; `OPENAI_BASE_URL` is only what the user says it by.
const RELAY: Relay = Relay {
    name: "openai",
    base_url: "OPENAI_BASE_URL",
    base_url_option: Some(("-c", "openai_base_url")),
    keys: &[Key {
        variable: "CODEX_API_KEY",
        header: KeyHeader::Bearer,
        stand_in: "sk-kept-outside",
    }],
    upstream: Some("https://api.openai.com/v1"),
    replaces_login: true,
    requests: &[
        Request::post("/responses"),
        Request::post("/responses/compact"),
        Request::post("/chat/completions"),
        Request::get("/models"),
        Request::get("/models/*"),
    ],
    headers: None,
};

/// See the module.
pub(super) struct Codex;

impl Agent for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn facts(&self) -> Facts {
        Facts {
            package: "@openai/codex",
            tested: "0.166.0",
            handoff: HandoffBy::Schema,
            prompt: PromptBy::Stdin,
            spending: Spending::Tokens,
            limits_turns: false,
            limits_money: false,
            names_session: true,
            tells_reset: true,
            login: Some(&["login", "status"]),
            hosts: &["api.openai.com", "auth.openai.com", "chatgpt.com"],
            relay: Some(RELAY),
            keys: &[],
            variables: &[],
            login_files: &[".codex/auth.json"],
            config_files: &[".codex/config.toml", ".codex/.env", ".codex/AGENTS.md"],
            config_home: Some(ConfigHome { variable: "CODEX_HOME", below: "" }),
            is_experimental: false,
        }
    }

    fn command(&self, call: &AgentCall, place: &Place) -> Result<CommandSpec, CommandProblem> {
        let (program, own) = invocation(call)?;
        let mut args: Vec<String> = [
            "exec",
            "--json",
            "--dangerously-bypass-approvals-and-sandbox",
            "--skip-git-repo-check",
        ]
        .map(str::to_owned)
        .into();
        if !call.model.is_empty() {
            args.extend(["-m".to_owned(), call.model.clone()]);
        }
        args.extend(project(&call.loadable));
        let mut files = Vec::new();
        let wanted = schema::of(call.kind);
        if !wanted.is_empty() {
            args.extend(["--output-schema".to_owned(), format!("{}/{SCHEMA}", place.folder)]);
            files.push((SCHEMA.to_owned(), schema::strict(wanted)));
        }
        let mut home = Vec::new();
        if !place.ralph.is_empty()
            && let Some(hooks) = wiring(Host::Codex(call.kind), &place.ralph)
        {
            // Without it hooks that nobody has looked at in its own dialogue are passed over in silence.
            args.push("--dangerously-bypass-hook-trust".to_owned());
            home.push((HOOKS.to_owned(), hooks.to_string()));
        }
        args.extend(own);
        // Without it any stray word would be the prompt, and standard input no more than an appendix.
        args.push("-".to_owned());
        Ok(CommandSpec {
            program,
            args,
            env: Vec::new(),
            stdin: call.prompt.clone().into_bytes(),
            files,
            home,
        })
    }

    fn parser(&self, call: &AgentCall) -> Box<dyn LineParser> {
        Box::new(parser::CodexParser::new(call.kind))
    }
}

/// Whether it loads the repository's `.codex`. Unattended it would, whatever its user once answered; only this key wins.
fn project(loadable: &Loadable) -> Vec<String> {
    if loadable.root.is_empty() {
        return Vec::new();
    }
    let level = if loadable.is_trusted() { "trusted" } else { "untrusted" };
    let root = serde_json::Value::from(loadable.root.as_str());
    vec!["-c".into(), format!("projects={{{root}={{trust_level=\"{level}\"}}}}")]
}
