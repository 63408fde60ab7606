//! Codex: its command line, its stream and its endings.
//!
//! Must never pass `--ignore-user-config`: that drops the login's provider too.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use ralph_core::{
    agent_facts::{ConfigHome, Facts, HandoffBy, Key, KeyHeader, Relay, Request, Spending},
    effect::{AgentCall, Loadable},
    ending::Ending,
    handoff::Handoff,
    memory::mcp,
    vocabulary::Kind,
};
use ralph_text::cut;
use serde_json::Value;

use super::{
    event::{AgentEvent, SHOWN, TodoItem},
    exit::ExitFacts,
    failure::Failure,
    hooks::{Host, wiring},
    json::{Json, texts},
    json_lines::{JsonLines, StreamReader},
    port::{Agent, CommandProblem, CommandSpec, LineParser, PLAIN, Place},
    schema,
    stream_state::{StreamState, name, tokens_with_cached},
};

/// Name of the file that holds the schema of a call.
const SCHEMA: &str = "schema.json";
/// Name of the file, in the folder of its configuration, from which it reads hooks.
const HOOKS: &str = "hooks.json";

/// Seconds for an MCP server to start: the first time `npx` has to download it.
const SERVER_START: u32 = 60;
/// What servers get of its environment: the way out of a box and to the user's packages.
const INHERITED: &str = "HTTPS_PROXY https_proxy HTTP_PROXY http_proxy NO_PROXY no_proxy NODE_EXTRA_CA_CERTS \
                         SSL_CERT_FILE npm_config_registry";

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
            spending: Spending::Tokens,
            names_session: true,
            tells_reset: true,
            login: Some(&["login", "status"]),
            hosts: &["api.openai.com", "auth.openai.com", "chatgpt.com"],
            relay: Some(RELAY),
            login_files: &[".codex/auth.json"],
            config_files: &[".codex/config.toml", ".codex/.env", ".codex/AGENTS.md"],
            config_home: Some(ConfigHome { variable: "CODEX_HOME", below: "" }),
            ..PLAIN
        }
    }

    fn can_compact(&self) -> bool {
        true
    }

    fn command(&self, call: &AgentCall, place: &Place) -> Result<CommandSpec, CommandProblem> {
        let fixed = [
            "exec",
            "--json",
            "--dangerously-bypass-approvals-and-sandbox",
            "--skip-git-repo-check",
        ];
        let (mut spec, own) = CommandSpec::begin(call, &fixed)?;
        spec.option("-m", &call.model);
        spec.option("-c", &project(&call.loadable));
        let set = mcp::placed(&call.mcp, &place.scratch);
        spec.option("-c", &set.and_then(|set| servers(call.kind, &set)).unwrap_or_default());
        let wanted = schema::of(call.kind);
        if !wanted.is_empty() {
            spec.option("--output-schema", &format!("{}/{SCHEMA}", place.folder));
            spec.files.push((SCHEMA.to_owned(), schema::strict(wanted)));
        }
        if let Some(hooks) = wiring(Host::Codex(call.kind), &place.ralph) {
            // Without it hooks that were not approved in its own dialogue are skipped silently.
            spec.args.push("--dangerously-bypass-hook-trust".to_owned());
            spec.home.push((HOOKS.to_owned(), hooks.to_string()));
        }
        spec.args.extend(own);
        // Without it any stray word would be the prompt, and standard input no more than an appendix.
        spec.args.push("-".to_owned());
        Ok(spec)
    }

    fn parser(&self, call: &AgentCall) -> Box<dyn LineParser> {
        let has_schema = !schema::of(call.kind).is_empty();
        JsonLines::parser(Stream { has_schema, ..Stream::default() })
    }
}

/// Whether it loads the repository's `.codex`. Unattended it would, whatever its user once answered; only this key wins.
fn project(loadable: &Loadable) -> String {
    if loadable.root.is_empty() {
        return String::new();
    }
    let level = if loadable.is_trusted() { "trusted" } else { "untrusted" };
    let root = Value::from(loadable.root.as_str());
    format!("projects={{{root}={{trust_level=\"{level}\"}}}}")
}

/// MCP servers as its configuration names them, added to its user's own. It waits only for servers that are required: a
/// compaction may end with its first answer, before others have started; other work gets them a moment later.
fn servers(kind: Kind, set: &str) -> Option<String> {
    let mut set: Value = serde_json::from_str(set).ok()?;
    let servers = set.get_mut("mcpServers")?.as_object_mut()?;
    for server in servers.values_mut().filter_map(Value::as_object_mut) {
        // `npx` may have to fetch a server first, and without a network it cannot: the compaction then works without it.
        let is_here = server.get("command").is_none_or(|command| command != "npx");
        server.insert("required".into(), (kind == Kind::Compact && is_here).into());
        server.insert("startup_timeout_sec".into(), SERVER_START.into());
        if server.contains_key("command") {
            server.insert("env_vars".into(), INHERITED.split(' ').collect());
        } else if let Some(headers) = server.remove("headers") {
            server.insert("http_headers".into(), headers);
        }
    }
    Some(format!("mcp_servers={}", toml::Value::try_from(servers).ok()?))
}

/// Most open tool calls that are told apart; beyond it the oldest id is forgotten.
const MAX_OPEN: usize = 1024;
/// How a notice begins that a request is tried again: `Reconnecting... 1/2 (why)`.
const RETRY: &str = "Reconnecting...";

/// Its stream. Its failures are free text, so words decide; only `turn.completed` is a success.
#[derive(Default)]
struct Stream {
    /// How the turn ended, with the failure if it did.
    end: Option<Result<(), Failure>>,
    /// The last message was asked to be JSON of a given form.
    has_schema: bool,
    /// Tool calls under way whose beginning was reported.
    open: BTreeSet<String>,
}

impl StreamReader for Stream {
    fn line(&mut self, line: Json<'_>, state: &mut StreamState) -> bool {
        let item = line.get("item");
        match &*line.text("type") {
            "thread.started" => state.began(&line.text("thread_id"), ""),
            "turn.started" => {}
            "item.started" if item.is_object() => self.item_started(item, state),
            "item.updated" if item.is_object() => plan(item, state),
            "item.completed" if item.is_object() => self.item_completed(item, state),
            "turn.completed" => {
                state.failure = None;
                let names = [
                    "input_tokens",
                    "output_tokens",
                    "cached_input_tokens",
                    "cache_write_input_tokens",
                ];
                state.usage = tokens_with_cached(line.get("usage"), names);
                state.turn_over(false, &state.last_message.clone(), 0);
                self.end = Some(Ok(()));
            }
            "turn.failed" => {
                let said = line.get("error").words();
                state.turn_over(true, &said, 0);
                self.end = Some(Err(Failure::said(&said)));
            }
            "error" => error(&line.text("message"), state),
            _ => return false,
        }
        true
    }

    fn ending(&mut self, state: &mut StreamState, exit: &ExitFacts) -> Ending {
        // Whether its last message is the answer that was asked for is not judged here.
        if self.has_schema {
            let answer = serde_json::from_str(state.last_message.trim()).ok();
            state.structured = answer
                .and_then(|json| Handoff::from_json(&schema::without_nulls(json).to_string()));
        }
        match self.end.take() {
            Some(Ok(())) => StreamState::success(exit),
            Some(Err(failure)) => {
                let ending = state.failed(&failure);
                state.failure.get_or_insert(failure);
                ending
            }
            None => state.without_end(exit),
        }
    }
}

impl Stream {
    fn item_started(&mut self, item: Json<'_>, state: &mut StreamState) {
        plan(item, state);
        if let Some((tool, input)) = tool(item) {
            if self.open.len() >= MAX_OPEN {
                self.open.pop_first();
            }
            let id = item.text("id");
            self.open.insert(name(&id));
            state.tool_start(&id, &tool, &input);
        }
    }

    fn item_completed(&mut self, item: Json<'_>, state: &mut StreamState) {
        match &*item.text("type") {
            "agent_message" => state.say(&item.text("text")),
            "reasoning" => state.think(&item.text("text")),
            // Only a remark: what ends the turn has lines of its own.
            "error" => state.note(&item.text("message")),
            _ => self.tool_completed(item, state),
        }
    }

    fn tool_completed(&mut self, item: Json<'_>, state: &mut StreamState) {
        plan(item, state);
        let Some((tool, input)) = tool(item) else {
            return;
        };
        let id = item.text("id");
        if !self.open.remove(&name(&id)) {
            state.tool_start(&id, &tool, &input);
        }
        let outputs = [item.text("aggregated_output"), item.get("error").words()];
        let output = outputs.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
        let status = item.text("status");
        let is_error = matches!(&*status, "failed" | "declined")
            || item.number("exit_code").is_some_and(|code| code != 0.0);
        state.tool_end(&id, &output, is_error);
        if status == "declined" {
            state.denied(&tool, &input);
        }
    }
}

/// A notice of a retry, or what the turn fails of.
fn error(message: &str, state: &mut StreamState) {
    if let Some(notice) = message.strip_prefix(RETRY) {
        let (nth, why) = retry(notice);
        state.retries(Failure::said(why), nth, None);
    } else {
        state.failure = Some(Failure::said(message));
        state.note(message);
    }
}

/// `1/2 (why)`: which retry of how many, and what made it necessary.
fn retry(notice: &str) -> ((u32, u32), &str) {
    let notice = notice.trim();
    let (count, why) = notice.split_once('(').unwrap_or((notice, notice));
    let (nth, of) = count.trim().split_once('/').unwrap_or_default();
    let number = |text: &str| text.trim().parse().unwrap_or(0);
    ((number(nth), number(of)), why.strip_suffix(')').unwrap_or(why))
}

/// Name and input of the tool call that an item is, if it is one.
fn tool(item: Json<'_>) -> Option<(String, String)> {
    let (name, input) = match &*item.text("type") {
        "command_execution" => ("shell".to_owned(), item.text("command").into()),
        "file_change" => {
            let changes = item.get("changes").items();
            ("edit".to_owned(), texts(changes.into_iter().map(|change| change.text("path"))))
        }
        "mcp_tool_call" => {
            let tool = format!("{}.{}", item.text("server"), item.text("tool"));
            (tool, item.get("arguments").raw().to_owned())
        }
        "web_search" => ("web_search".to_owned(), item.text("query").into()),
        _ => return None,
    };
    Some((name, input))
}

/// The agent's own list, if that is what an item is.
fn plan(item: Json<'_>, state: &mut StreamState) {
    if item.text("type") != "todo_list" {
        return;
    }
    let steps = item.get("items").items().into_iter().filter(|step| step.is_object()).take(100);
    let items = steps.map(|step| TodoItem {
        text: cut::ellipsis(&step.text("text"), SHOWN),
        status: if step.truth("completed") == Some(true) { "completed" } else { "pending" }.into(),
    });
    state.events.push(AgentEvent::Todo { items: items.collect() });
}
