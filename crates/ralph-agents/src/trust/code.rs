//! What in a file of agent configuration runs code, for the person who decides on it. A help to the eye, not a judge:
//! trust is bound to every byte, whatever was seen here.

use serde_json::Value;

/// Longest command that is shown.
const SHOWN: usize = 80;
/// Keys whose entries are servers that are started.
const SERVERS: [&str; 4] = ["mcpServers", "mcp_servers", "mcp", "servers"];
/// Keys whose value is a command or a program to load.
const COMMANDS: [&str; 13] = [
    "apiKeyHelper",
    "awsAuthRefresh",
    "awsCredentialExport",
    "callCommand",
    "command",
    "discoveryCommand",
    "enabledPlugins",
    "extraKnownMarketplaces",
    "notify",
    "otelHeadersHelper",
    "plugin",
    "plugins",
    "statusLine",
];
/// File endings of programs.
const PROGRAMS: [&str; 12] =
    ["bash", "cjs", "cts", "js", "mjs", "mts", "pl", "ps1", "py", "rb", "sh", "ts"];

/// What in this file runs code, in words; empty if nothing was seen.
pub fn runs(path: &str, text: &[u8]) -> Vec<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let in_hooks = path.split('/').any(|part| part == "hooks");
    if PROGRAMS.contains(&ending) || text.starts_with(b"#!") || (in_hooks && ending.is_empty()) {
        return vec!["a program".into()];
    }
    if name == ".env" || name.starts_with(".env.") {
        return vec!["sets variables".into()];
    }
    let text = String::from_utf8_lossy(text);
    let table = match ending {
        "toml" => {
            text.parse::<toml::Table>().ok().and_then(|table| serde_json::to_value(table).ok())
        }
        "json" | "jsonc" => serde_json::from_str::<Value>(&text).ok(),
        _ => return prose(&text),
    };
    let Some(table) = table else {
        return vec!["cannot be read, so nobody can tell".into()];
    };
    let mut found = Vec::new();
    entries(&table, &mut found);
    found
}

/// A text for the model can still have commands that are run when it is used.
fn prose(text: &str) -> Vec<String> {
    let has_hooks = text.starts_with("---")
        && text
            .lines()
            .skip(1)
            .take_while(|line| *line != "---")
            .any(|line| line.starts_with("hooks:"));
    let mut found = Vec::new();
    if has_hooks {
        found.push("hooks".into());
    }
    if text.contains("!`") || text.contains("!{") {
        found.push("commands inside the text".into());
    }
    found
}

fn entries(value: &Value, found: &mut Vec<String>) {
    let Value::Object(table) = value else {
        return;
    };
    for (key, value) in table {
        match (key.as_str(), value) {
            ("hooks", Value::Object(events)) => {
                for (event, hooks) in events {
                    found.push(format!("hook {event}{}", commands(hooks)));
                }
            }
            (key, Value::Object(servers)) if SERVERS.contains(&key) => {
                for (name, server) in servers {
                    if server.is_object() {
                        found.push(format!("server {name}{}", commands(server)));
                    }
                }
            }
            (key, value) if COMMANDS.contains(&key) && !value.is_null() => {
                found.push(format!("{key}{}", commands(value)));
            }
            (_, value) => entries(value, found),
        }
    }
}

/// The first command somewhere inside, as far as it can be shown on a line.
fn commands(value: &Value) -> String {
    let shown = |text: &str| {
        let line: String = text.chars().filter(|c| !c.is_control()).take(SHOWN).collect();
        format!(": {line}")
    };
    match value {
        Value::String(text) => shown(text),
        Value::Array(items) if items.iter().all(Value::is_string) && !items.is_empty() => {
            let words: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            shown(&words.join(" "))
        }
        Value::Array(items) => {
            items.iter().map(commands).find(|found| !found.is_empty()).unwrap_or_default()
        }
        Value::Object(table) => {
            let args = table.get("args").and_then(Value::as_array).into_iter().flatten();
            let args: Vec<&str> = args.filter_map(Value::as_str).collect();
            for key in ["command", "bash", "url", "httpUrl"] {
                match table.get(key) {
                    Some(Value::String(text)) => {
                        return shown(&[&[text.as_str()], args.as_slice()].concat().join(" "));
                    }
                    Some(list @ Value::Array(_)) => return commands(list),
                    _ => {}
                }
            }
            table.get("hooks").map(commands).unwrap_or_default()
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_servers_helpers_and_programs_are_seen() {
        for (path, text, expected) in [
            (
                ".claude/settings.json",
                r#"{"model":"x","hooks":{"Stop":[{"hooks":[{"type":"command","command":"make it"}]}]},"apiKeyHelper":"./key"}"#,
                &["hook Stop: make it", "apiKeyHelper: ./key"][..],
            ),
            (
                ".mcp.json",
                r#"{"mcpServers":{"a":{"command":"npx","args":["-y","a"]}}}"#,
                &["server a: npx -y a"],
            ),
            (
                "opencode.json",
                r#"{"mcp":{"b":{"type":"local","command":["bun","b"]}},"plugin":["p"]}"#,
                &["server b: bun b", "plugin: p"],
            ),
            (
                ".codex/config.toml",
                "notify = [\"say\", \"hi\"]\n[mcp_servers.c]\ncommand = \"c\"\n",
                &["server c: c", "notify: say hi"],
            ),
            (
                ".github/hooks/h.json",
                r#"{"version":1,"hooks":{"sessionStart":[{"bash":"id"}]}}"#,
                &["hook sessionStart: id"],
            ),
            (".opencode/plugin/p.ts", "", &["a program"]),
            (".clinerules/hooks/PreToolUse", "id", &["a program"]),
            (".gemini/.env", "A=b", &["sets variables"]),
            (".claude/commands/c.md", "look: !`git log`", &["commands inside the text"]),
            (".claude/skills/s/SKILL.md", "---\nname: s\nhooks:\n  Stop: []\n---\n", &["hooks"]),
            (".claude/settings.json", "{", &["cannot be read, so nobody can tell"]),
            (".claude/settings.json", r#"{"model":"x","permissions":{"deny":["Bash"]}}"#, &[]),
            (".claude/agents/a.md", "be kind", &[]),
        ] {
            assert_eq!(runs(path, text.as_bytes()), expected, "{path} {text}");
        }
    }

    #[test]
    fn what_is_shown_of_a_command_stays_on_its_line() {
        let text = format!("{{\"notify\":\"a\\u001b[31m\\n{}\"}}", "b".repeat(500));
        let found = runs(".codex/x.json", text.as_bytes()).concat();
        assert!(found.chars().count() < 100 && !found.contains(['\n', '\u{1b}']), "{found}");
    }
}
