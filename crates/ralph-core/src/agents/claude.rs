//! Claude Code: its command line. Reading its stream is `claude/parser.rs`, naming its endings `claude/ending.rs`.
//!
//! Must never set `IS_SANDBOX`: that would tell the CLI of a sandbox that is not there.

mod ending;
mod line;
mod loose;
mod parser;
#[cfg(test)]
mod tests;
mod tool_input;

use super::port::{Agent, CommandProblem, CommandSpec, LineParser, Place, split};
use crate::{
    effect::AgentCall, memory::handoff::HANDOFF_SCHEMA, review::REVIEW_SCHEMA, run::Kind,
    time::Millis, usage::MicroUsd,
};

/// See the module.
pub(super) struct Claude;

impl Agent for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn command(&self, call: &AgentCall, place: &Place) -> Result<CommandSpec, CommandProblem> {
        let mut command = split(&[&call.agent])?.into_iter();
        let program = command.next().ok_or(CommandProblem::NoProgram)?;
        let mut args: Vec<String> = [
            "-p",
            "--output-format",
            "stream-json",
            "--verbose",
            "--dangerously-skip-permissions",
            // Configuration in the repository is code that nobody has read yet.
            "--setting-sources",
            "user",
            "--strict-mcp-config",
            // Its CLAUDE.md is text, and wanted: without project settings only an added folder's is read.
            "--add-dir",
            ".",
            "--session-id",
        ]
        .map(str::to_owned)
        .into();
        args.push(session_id(call, place));
        let mut option = |name: &str, value: String| {
            if !value.is_empty() {
                args.extend([name.to_owned(), value]);
            }
        };
        option("--model", call.model.clone());
        option("--fallback-model", call.fallback_model.clone());
        option("--max-turns", positive(call.max_turns));
        option("--max-budget-usd", call.budget.map(dollars).unwrap_or_default());
        option("--json-schema", schema(call.kind).into());
        args.extend(command);
        args.extend(split(&call.flags.iter().map(String::as_str).collect::<Vec<_>>())?);
        Ok(CommandSpec {
            program,
            args,
            env: vec![
                ("CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD".into(), "1".into()),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC".into(), "1".into()),
                ("CLAUDE_CODE_MAX_RETRIES".into(), retries(call.hard_timeout).to_string()),
            ],
            stdin: call.prompt.clone().into_bytes(),
        })
    }

    fn parser(&self, _: &AgentCall) -> Box<dyn LineParser> {
        Box::new(parser::ClaudeParser::default())
    }
}

fn schema(kind: Kind) -> &'static str {
    match kind {
        Kind::Implement | Kind::Fix => HANDOFF_SCHEMA,
        Kind::Review => REVIEW_SCHEMA,
        Kind::Prompt | Kind::Apply => "",
    }
}

fn positive(number: u32) -> String {
    if number == 0 { String::new() } else { number.to_string() }
}

/// Dollars with all six digits; a used-up budget still leaves the smallest sum, since zero is no limit.
fn dollars(budget: MicroUsd) -> String {
    let micros = budget.0.max(1);
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

/// The CLI's own retries of a failed request: its default of ten where there is time, fewer in short calls.
fn retries(hard_timeout: Millis) -> u64 {
    if hard_timeout.is_zero() { 10 } else { (hard_timeout.0 / 120_000).clamp(2, 10) }
}

/// An id in the form of a random UUID that no other start of any call has: the CLI refuses a used one.
fn session_id(call: &AgentCall, place: &Place) -> String {
    let name = format!("{}\0{}\0{}\0{}", place.run, call.iteration, call.retry, place.started);
    let hash = blake3::hash(name.as_bytes()).to_hex();
    let variant = match hash.as_bytes()[16] {
        b'0' | b'4' | b'8' | b'c' => '8',
        b'1' | b'5' | b'9' | b'd' => '9',
        b'2' | b'6' | b'a' | b'e' => 'a',
        _ => 'b',
    };
    format!(
        "{}-{}-4{}-{variant}{}-{}",
        &hash[..8],
        &hash[8..12],
        &hash[13..16],
        &hash[17..20],
        &hash[20..32]
    )
}
