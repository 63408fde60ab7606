//! OpenCode: its command line. Reading its stream is `opencode/parser.rs`.

mod line;
mod parser;
#[cfg(test)]
mod tests;

use super::{
    port::{Agent, CommandProblem, CommandSpec, LineParser, Place, invocation},
    services,
};
use ralph_core::agent_facts::{Facts, HandoffBy, PromptBy, Spending};
use ralph_core::effect::AgentCall;

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
            handoff: HandoffBy::Block,
            prompt: PromptBy::Stdin,
            spending: Spending::Money,
            limits_turns: false,
            limits_money: false,
            names_session: true,
            tells_reset: false,
            login: None,
            hosts: &["opencode.ai", "models.dev", "api.anthropic.com", "api.openai.com"],
            relay: None,
            keys: services::ALL,
            variables: &["OPENCODE_*"],
            login_files: &[".local/share/opencode/auth.json"],
            config_files: &[
                ".config/opencode/opencode.json",
                ".config/opencode/opencode.jsonc",
                ".config/opencode/AGENTS.md",
            ],
            config_home: None,
            is_experimental: false,
        }
    }

    fn command(&self, call: &AgentCall, _: &Place) -> Result<CommandSpec, CommandProblem> {
        let (program, own) = invocation(call)?;
        let mut args: Vec<String> = [
            "run",
            "--format",
            "json",
            "--auto",
            // Of a request that it tries again it tells only here, however long it waits.
            "--print-logs",
            "--log-level",
            "ERROR",
        ]
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

    fn parser(&self, call: &AgentCall) -> Box<dyn LineParser> {
        Box::new(parser::OpenCodeParser::new(&call.model))
    }
}

fn environment(call: &AgentCall) -> Vec<(String, String)> {
    let mut names = vec!["OPENCODE_DISABLE_AUTOUPDATE"];
    if !call.loadable.is_trusted() {
        // Its plugins are loaded all the same; only a box that hides them keeps them out.
        names.extend(["OPENCODE_DISABLE_PROJECT_CONFIG", "OPENCODE_DISABLE_EXTERNAL_SKILLS"]);
    }
    names.into_iter().map(|name| (name.to_owned(), "1".to_owned())).collect()
}
