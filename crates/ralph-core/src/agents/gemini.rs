//! Gemini CLI: its command line. Reading its stream is `gemini/parser.rs`, naming its endings `gemini/ending.rs`.
//!
//! Must never set `GEMINI_CLI_TRUST_WORKSPACE`: that loads the repository's settings, which nobody has read yet.

mod ending;
mod line;
mod parser;
mod retry;
#[cfg(test)]
mod tests;

use super::{
    facts::{Facts, HandoffBy, PromptBy, Spending},
    port::{Agent, CommandProblem, CommandSpec, LineParser, Place, invocation},
};
use crate::effect::AgentCall;

/// See the module.
pub(super) struct Gemini;

impl Agent for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn facts(&self) -> Facts {
        Facts {
            tested: "0.61.0",
            handoff: HandoffBy::Block,
            prompt: PromptBy::Stdin,
            spending: Spending::Tokens,
            limits_turns: false,
            limits_money: false,
            names_session: true,
            tells_reset: true,
            login: None,
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
            // Signals reach only the process that was started, so that must be the one that works.
            env: vec![("GEMINI_CLI_NO_RELAUNCH".into(), "true".into())],
            stdin: call.prompt.clone().into_bytes(),
            files: Vec::new(),
        })
    }

    fn parser(&self, _: &AgentCall) -> Box<dyn LineParser> {
        Box::new(parser::GeminiParser::default())
    }
}
