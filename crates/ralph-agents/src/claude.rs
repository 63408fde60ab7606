//! Claude Code: its command line and what is special in its stream, which `stream_json` reads.
//!
//! Must never set `IS_SANDBOX`: that would tell the CLI of a sandbox that is not there.

#[cfg(test)]
mod tests;

use super::{
    port::{Agent, CommandProblem, CommandSpec, LineParser, Place, invocation},
    schema,
    stream_json::{Dialect, Refusal, StreamParser},
};
use crate::hooks::{Host, wiring};
use ralph_core::agent_facts::{
    ConfigHome, Facts, HandoffBy, Key, KeyHeader, PromptBy, Relay, Request, ServiceKey, Spending,
};
use ralph_core::{effect::AgentCall, memory::mcp, time::Millis, usage::MicroUsd};

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
/// The repository's own file of that kind.
const PROJECT_MCP: &str = ".mcp.json";
/// Name of the file that adds ralph's hooks to the user's own settings.
const SETTINGS_FILE: &str = "settings.json";

/// A subscription's token is a key like another one: only the header differs.
const RELAY: Relay = Relay {
    name: "anthropic",
    base_url: "ANTHROPIC_BASE_URL",
    base_url_option: None,
    keys: &[
        Key {
            variable: "ANTHROPIC_API_KEY",
            header: KeyHeader::XApiKey,
            stand_in: "sk-ant-kept-outside",
        },
        Key {
            variable: "ANTHROPIC_AUTH_TOKEN",
            header: KeyHeader::Bearer,
            stand_in: "kept-outside",
        },
        Key {
            variable: "CLAUDE_CODE_OAUTH_TOKEN",
            header: KeyHeader::Bearer,
            stand_in: "sk-ant-oat01-kept-outside",
        },
    ],
    upstream: Some("https://api.anthropic.com"),
    replaces_login: true,
    requests: &[
        Request { method: "HEAD", path: "/" },
        Request::post("/v1/messages"),
        Request::post("/v1/messages/count_tokens"),
        Request::get("/v1/models"),
        Request::get("/v1/models/*"),
    ],
    headers: Some("ANTHROPIC_CUSTOM_HEADERS"),
};

/// Headers of the user's own often hold a token. With a relay they stay outside, with a login they are inside.
const KEYS: &[ServiceKey] =
    &[ServiceKey { variable: "ANTHROPIC_CUSTOM_HEADERS", host: "api.anthropic.com" }];

/// What people set it up with. Not all that begin with its name: some of those tell of a session around it.
const VARIABLES: &[&str] = &[
    "ANTHROPIC_DEFAULT_*",
    "ANTHROPIC_MODEL",
    "ANTHROPIC_SMALL_FAST_MODEL",
    "API_TIMEOUT_MS",
    "BASH_DEFAULT_TIMEOUT_MS",
    "BASH_MAX_OUTPUT_LENGTH",
    "BASH_MAX_TIMEOUT_MS",
    "CLAUDE_CODE_DISABLE_*",
    "CLAUDE_CODE_EFFORT_LEVEL",
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    "CLAUDE_CODE_SUBAGENT_MODEL",
    "DISABLE_AUTOUPDATER",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_TELEMETRY",
    "MAX_MCP_OUTPUT_TOKENS",
    "MAX_THINKING_TOKENS",
    "MCP_TIMEOUT",
    "MCP_TOOL_TIMEOUT",
];

/// See the module.
pub(super) struct Claude;

impl Agent for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn facts(&self) -> Facts {
        Facts {
            package: "@anthropic-ai/claude-code",
            tested: "2.1.325",
            handoff: HandoffBy::Schema,
            prompt: PromptBy::Stdin,
            spending: Spending::Money,
            limits_turns: true,
            limits_money: true,
            names_session: true,
            tells_reset: true,
            login: Some(&["auth", "status"]),
            hosts: &["api.anthropic.com", "platform.claude.com"],
            relay: Some(RELAY),
            keys: KEYS,
            variables: VARIABLES,
            login_files: &[".claude/.credentials.json"],
            config_files: &[".claude.json", ".claude/settings.json", ".claude/CLAUDE.md"],
            config_home: Some(ConfigHome { variable: "CLAUDE_CONFIG_DIR", below: "" }),
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
            // Configuration in the repository is code; without trust nobody has read it yet.
            "--setting-sources",
            if call.loadable.is_trusted() { "user,project" } else { "user" },
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
        let servers = mcp::placed(&call.mcp, &place.scratch);
        if servers.is_some() {
            option("--mcp-config", format!("{}/{MCP_FILE}", place.folder));
        } else if call.loadable.files.iter().any(|file| file == PROJECT_MCP) {
            option("--mcp-config", PROJECT_MCP.into());
        }
        let hooks = if place.ralph.is_empty() {
            None
        } else {
            wiring(Host::Claude(call.kind), &place.ralph)
        };
        args.extend(own);
        if hooks.is_some() {
            // Of two such files the CLI reads the last: the guard must be in it.
            args.extend(["--settings".to_owned(), format!("{}/{SETTINGS_FILE}", place.folder)]);
        }
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
            files: [
                servers.map(|servers| (MCP_FILE.to_owned(), servers)),
                hooks.map(|hooks| (SETTINGS_FILE.to_owned(), hooks.to_string())),
            ]
            .into_iter()
            .flatten()
            .collect(),
            home: Vec::new(),
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
