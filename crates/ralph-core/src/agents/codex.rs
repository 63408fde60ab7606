//! Codex: its command line. Reading its stream is `codex/parser.rs`, naming its endings `codex/ending.rs`.
//!
//! Must never pass `--ignore-user-config`: that drops the login's provider too.

mod ending;
mod line;
mod parser;
#[cfg(test)]
mod tests;

use super::{
    facts::{Facts, HandoffBy, PromptBy, Spending},
    port::{Agent, CommandProblem, CommandSpec, LineParser, Place, invocation},
    schema,
};
use crate::effect::AgentCall;

/// Name of the file that holds the schema of a call.
const SCHEMA: &str = "schema.json";

/// See the module.
pub(super) struct Codex;

impl Agent for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn facts(&self) -> Facts {
        Facts {
            tested: "0.166.0",
            handoff: HandoffBy::Schema,
            prompt: PromptBy::Stdin,
            spending: Spending::Tokens,
            limits_turns: false,
            limits_money: false,
            names_session: true,
            tells_reset: true,
            login: Some(&["login", "status"]),
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
        let mut files = Vec::new();
        let wanted = schema::of(call.kind);
        if !wanted.is_empty() {
            args.extend(["--output-schema".to_owned(), format!("{}/{SCHEMA}", place.folder)]);
            files.push((SCHEMA.to_owned(), schema::strict(wanted)));
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
        })
    }

    fn parser(&self, call: &AgentCall) -> Box<dyn LineParser> {
        Box::new(parser::CodexParser::new(call.kind))
    }
}
