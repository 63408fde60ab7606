//! Claude Code: its command line and what is special in its stream, which `stream_json` reads.
//!
//! Must never set `IS_SANDBOX`: that would tell the CLI of a sandbox that is not there.

#[cfg(test)]
mod tests;

use super::{
    port::{Agent, CommandProblem, CommandSpec, LineParser, PLAIN, Place, positive},
    schema,
    stream_json::{self, Dialect, Refusal},
};
use crate::hooks::{Host, wiring};
use ralph_core::agent_facts::{
    ConfigHome, Facts, HandoffBy, Key, KeyHeader, Relay, Request, ServiceKey, Spending,
};
use ralph_core::{effect::AgentCall, memory::mcp, time::Millis, usage::MicroUsd};

const REFUSALS: &[Refusal] = &[
    Refusal {
        words: "cannot be used with root/sudo",
        shown_as: Some(
            "Claude Code does not work unattended as root; run ralph as an ordinary user, or set \
                 IS_SANDBOX=1 in a container that holds nothing but this work",
        ),
    },
    Refusal { words: "is invalid", shown_as: None },
    Refusal { words: "is already in use", shown_as: None },
    Refusal { words: "No conversation found", shown_as: None },
];

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
            lasting_login: Some(("claude setup-token", "CLAUDE_CODE_OAUTH_TOKEN")),
            ..PLAIN
        }
    }

    fn can_compact(&self) -> bool {
        true
    }

    fn command(&self, call: &AgentCall, place: &Place) -> Result<CommandSpec, CommandProblem> {
        let fixed = [
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
        ];
        let (mut spec, own) = CommandSpec::begin(call, &fixed)?;
        spec.option("--session-id", &session_id(call, place));
        spec.option("--model", &call.model);
        spec.option("--fallback-model", &call.fallback_model);
        spec.option("--max-turns", &positive(call.max_turns));
        spec.option("--max-budget-usd", &call.budget.map(dollars).unwrap_or_default());
        spec.option("--json-schema", schema::of(call.kind));
        spec.env.extend(
            [
                ("CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD", "1".to_owned()),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
                ("CLAUDE_CODE_MAX_RETRIES", retries(call.hard_timeout).to_string()),
            ]
            .map(|(name, value)| (name.to_owned(), value)),
        );
        if let Some(servers) = mcp::placed(&call.mcp, &place.scratch) {
            spec.option("--mcp-config", &format!("{}/{MCP_FILE}", place.folder));
            spec.files.push((MCP_FILE.to_owned(), servers));
            // The sets are small: their tools are there at once, not to be searched for first.
            spec.env.push(("ENABLE_TOOL_SEARCH".into(), "false".into()));
        } else if call.loadable.files.iter().any(|file| file == PROJECT_MCP) {
            spec.option("--mcp-config", PROJECT_MCP);
        }
        spec.args.extend(own);
        if let Some(hooks) = wiring(Host::Claude(call.kind), &place.ralph) {
            // Of two such files the CLI reads the last: the guard must be in it.
            spec.option("--settings", &format!("{}/{SETTINGS_FILE}", place.folder));
            spec.files.push((SETTINGS_FILE.to_owned(), hooks.to_string()));
        }
        Ok(spec)
    }

    fn parser(&self, _: &AgentCall) -> Box<dyn LineParser> {
        stream_json::parser(Dialect { refusals: REFUSALS, ..Dialect::default() })
    }
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
