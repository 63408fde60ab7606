//! Claude Code: its command line and what is special in its stream, which `stream_json` reads.
//!
//! Must never set `IS_SANDBOX`: that would tell the CLI of a sandbox that is not there.

#[cfg(test)]
mod tests;

use super::{
    facts::{Facts, HandoffBy, PromptBy, Spending},
    port::{Agent, CommandProblem, CommandSpec, LineParser, Place, invocation},
    schema,
    stream_json::{Dialect, Refusal, StreamParser},
};
use crate::{effect::AgentCall, memory::mcp, time::Millis, usage::MicroUsd};

const DIALECT: Dialect = Dialect {
    input_has_cached: false,
    error_text: "",
    formless: "",
    turn_limit: &[],
    refusals: &[
        Refusal {
            words: "cannot be used with root/sudo",
            told_as: Some(
                "Claude Code does not work unattended as root; run ralph as an ordinary user, or set \
                 IS_SANDBOX=1 in a container that holds nothing but this work",
            ),
        },
        Refusal { words: "is invalid", told_as: None },
        Refusal { words: "is already in use", told_as: None },
        Refusal { words: "No conversation found", told_as: None },
    ],
};

/// Name of the file that names the MCP servers of a call; any others are shut out.
const MCP_FILE: &str = "mcp.json";

/// See the module.
pub(super) struct Claude;

impl Agent for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn facts(&self) -> Facts {
        Facts {
            tested: "2.1.325",
            handoff: HandoffBy::Schema,
            prompt: PromptBy::Stdin,
            spending: Spending::Money,
            limits_turns: true,
            limits_money: true,
            names_session: true,
            tells_reset: true,
            login: Some(&["auth", "status"]),
            is_experimental: false,
        }
    }

    fn can_compact(&self) -> bool {
        true
    }

    fn command(&self, call: &AgentCall, place: &Place) -> Result<CommandSpec, CommandProblem> {
        let (program, own) = invocation(call)?;
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
        option("--json-schema", schema::of(call.kind).into());
        let servers = mcp::placed(&call.mcp, &place.folder);
        if servers.is_some() {
            option("--mcp-config", format!("{}/{MCP_FILE}", place.folder));
        }
        args.extend(own);
        let mut env: Vec<(String, String)> = vec![
            ("CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD".into(), "1".into()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC".into(), "1".into()),
            ("CLAUDE_CODE_MAX_RETRIES".into(), retries(call.hard_timeout).to_string()),
        ];
        if servers.is_some() {
            // The sets are small: their tools are there at once, not to be searched for first.
            env.push(("ENABLE_TOOL_SEARCH".into(), "false".into()));
        }
        Ok(CommandSpec {
            program,
            args,
            env,
            stdin: call.prompt.clone().into_bytes(),
            files: servers.map(|servers| (MCP_FILE.to_owned(), servers)).into_iter().collect(),
        })
    }

    fn parser(&self, _: &AgentCall) -> Box<dyn LineParser> {
        Box::new(StreamParser::new(DIALECT))
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
