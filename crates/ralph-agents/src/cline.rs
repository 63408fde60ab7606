//! Cline: its command line. Reading its stream is `cline/parser.rs`.
//!
//! It takes its prompt only as an argument and leaves a daemon behind, which ends with its process tree. It gets
//! no data folder of its own: its login is kept there.

mod line;
mod parser;
#[cfg(test)]
mod tests;

use super::{
    port::{Agent, CommandProblem, CommandSpec, LineParser, Place, invocation, prompt_argument},
    services,
};
use ralph_core::agent_facts::{Facts, HandoffBy, PromptBy, Spending};
use ralph_core::effect::AgentCall;

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
            handoff: HandoffBy::Block,
            prompt: PromptBy::Argument,
            spending: Spending::Money,
            limits_turns: false,
            limits_money: false,
            names_session: true,
            tells_reset: false,
            login: None,
            hosts: &["api.cline.bot", "api.anthropic.com", "api.openai.com"],
            relay: None,
            keys: services::ALL,
            variables: &["CLINE_MODEL", "CLINE_PROVIDER", "CLINE_TELEMETRY_DISABLED"],
            login_files: &[],
            config_files: &[
                ".cline/data/settings/providers.json",
                ".cline/data/globalState.json",
                ".cline/data/secrets.json",
            ],
            config_home: None,
            is_experimental: false,
        }
    }

    fn command(&self, call: &AgentCall, _: &Place) -> Result<CommandSpec, CommandProblem> {
        let (program, own) = invocation(call)?;
        let mut args = vec!["--json".to_owned()];
        if !call.model.is_empty() {
            args.extend(["-m".to_owned(), call.model.clone()]);
        }
        args.extend(own);
        let mut prompt = prompt_argument(call)?;
        if prompt.starts_with('-') {
            // It would be taken for an option.
            prompt.insert(0, '\n');
        }
        args.push(prompt);
        Ok(CommandSpec {
            program,
            args,
            env: vec![("CLINE_NO_AUTO_UPDATE".into(), "1".into())],
            stdin: Vec::new(),
            files: Vec::new(),
            home: Vec::new(),
        })
    }

    fn parser(&self, call: &AgentCall) -> Box<dyn LineParser> {
        Box::new(parser::ClineParser::new(&call.model))
    }
}
