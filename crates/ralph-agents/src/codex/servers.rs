//! MCP servers for one call of Codex: its configuration's form of a set, as the value of a `-c` option. Its user's own
//! servers stay beside them, as in any other session of theirs.

use ralph_core::vocabulary::Kind;
use serde_json::{Map, Value, json};

/// Seconds for a server to start: the first time `npx` has to download it.
const START: u32 = 60;
/// It starts servers without its own environment: these lead them out of a box, and to the user's packages.
const INHERITED: [&str; 9] = [
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "NO_PROXY",
    "no_proxy",
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "npm_config_registry",
];

/// The option's value for a set with servers in it; empty for anything else. It waits only for servers without which it
/// does not begin: a compaction may end with its first answer and needs all of them, other work gets them a moment later.
pub(super) fn option(kind: Kind, set: &str) -> String {
    let set: Value = serde_json::from_str(set).unwrap_or_default();
    let Some(servers) = set["mcpServers"].as_object() else { return String::new() };
    let is_required = kind == Kind::Compact;
    let of_codex = |server: &Value| of_codex(server, is_required);
    let servers = servers.iter().map(|(name, server)| (name.clone(), of_codex(server))).collect();
    format!("mcp_servers={}", toml(&Value::Object(servers)))
}

/// A server in the words of its configuration.
fn of_codex(server: &Value, is_required: bool) -> Value {
    let words = [
        ("command", "command"),
        ("args", "args"),
        ("env", "env"),
        ("url", "url"),
        ("headers", "http_headers"),
    ];
    let given = words.iter().filter_map(|(name, own)| {
        server.get(name).filter(|it| !it.is_null()).map(|it| ((*own).to_owned(), it.clone()))
    });
    let mut given: Map<String, Value> = given.collect();
    given.insert("startup_timeout_sec".into(), START.into());
    given.insert("required".into(), is_required.into());
    if given.contains_key("command") {
        given.insert("env_vars".into(), json!(INHERITED));
    }
    Value::Object(given)
}

/// The same in TOML, on one line.
fn toml(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let pairs =
                map.iter().map(|(name, it)| format!("{}={}", Value::from(name.as_str()), toml(it)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(toml).collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_named_in_the_words_of_its_configuration_on_one_line() {
        let set = json!({"mcpServers": {
            "a \"b\"": {"type": "stdio", "command": "npx", "args": ["-y", "x"], "env": {"FILE": "/f"}},
            "far": {"type": "http", "url": "https://x.example", "headers": {"A": "b"}, "args": null},
        }});
        let option = option(Kind::Compact, &set.to_string());
        let (near, far) = option.split_once(",\"far\"=").unwrap_or_default();
        assert!(near.starts_with(
            r#"mcp_servers={"a \"b\""={"command"="npx","args"=["-y","x"],"env"={"FILE"="/f"},"#
        ));
        assert!(near.contains(r#""env_vars"=["HTTPS_PROXY","#), "{near}");
        let expected = r#"{"url"="https://x.example","http_headers"={"A"="b"},"startup_timeout_sec"=60,"required"=true}}"#;
        assert_eq!(far, expected);
        for nothing in ["", "{}", r#"{"mcpServers": []}"#] {
            assert_eq!(super::option(Kind::Fix, nothing), "", "{nothing}");
        }
    }
}
