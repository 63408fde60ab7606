//! Which requests of the built-in agents get their key.

use ralph_core::network::{Why, passes, relay_environment};

use crate::{Agent, find};

fn judge(agent: &str, method: &str, path: &str) -> Option<Result<(), Why>> {
    let facts = find(agent).map(Agent::facts)?;
    let key = facts.relay?.keys[0].variable;
    let base = facts.relay?.base_url;
    let value = |name: &str| {
        let address = (name == base).then(|| "https://model.example/v1".to_owned());
        (name == key).then(|| "k".to_owned()).or(address)
    };
    let rule = relay_environment(&facts, value, "http://127.0.0.1:1").ok()??.rule;
    Some(rule.judge(method, path))
}

#[test]
fn what_agents_ask_of_their_models_is_sent_on() {
    for (agent, method, path) in [
        ("claude", "POST", "/v1/messages?beta=true"),
        ("claude", "POST", "/v1/messages/count_tokens?beta=true"),
        ("claude", "GET", "/v1/models?limit=1000"),
        ("claude", "GET", "/v1/models/claude-opus-5-5"),
        ("claude", "HEAD", ""),
        ("claude", "HEAD", "/"),
        ("codex", "POST", "/responses"),
        ("codex", "POST", "/responses/compact"),
        ("codex", "GET", "/models?client_version=0.166.0"),
        ("gemini", "POST", "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse"),
        ("gemini", "POST", "/v1beta/models/gemini-3-pro:countTokens"),
        ("gemini", "GET", "/v1beta/models"),
        ("qwen", "POST", "/chat/completions"),
        ("copilot", "POST", "/chat/completions"),
        ("copilot", "POST", "/v1/messages"),
    ] {
        assert_eq!(judge(agent, method, path), Some(Ok(())), "{agent} {method} {path}");
    }
}

#[test]
fn nothing_else_is_whatever_it_is_called() {
    for (agent, method, path) in [
        ("claude", "TRACE", "/v1/messages"),
        ("claude", "DELETE", "/v1/messages"),
        ("claude", "PROPFIND", "/"),
        ("claude", "OPTIONS", "/v1/messages"),
        ("claude", "GET", "/v1/messages/batches"),
        ("claude", "POST", "/v1/messages/batches"),
        ("claude", "GET", "/v1/files"),
        ("claude", "DELETE", "/v1/files/file_1"),
        ("claude", "GET", "/v1/organizations/me"),
        ("claude", "POST", "/v1/oauth/token"),
        ("claude", "POST", "//v1/messages"),
        ("claude", "POST", "/v1//messages"),
        ("claude", "POST", "/v1/messages/"),
        ("claude", "POST", "/v1/messages;a=b"),
        ("claude", "POST", "/v1/%6dessages"),
        ("claude", "POST", "/V1/messages"),
        ("claude", "GET", "/v1/models/.."),
        ("claude", "GET", "/v1/models/a%2fb"),
        ("claude", "POST", "/v1/messages?_method=DELETE"),
        ("claude", "POST", "/v1/messages?beta=true&%5fmethod=DELETE"),
        ("claude", "POST", "/v1/messages?x-http-method-override=GET"),
        ("codex", "GET", "/files"),
        ("codex", "POST", "/files"),
        ("codex", "GET", "/organization/admin_api_keys"),
        ("codex", "DELETE", "/responses/resp_1"),
        ("gemini", "POST", "/v1beta/models/a:generateContent/../files"),
        ("gemini", "POST", "/v1beta/files"),
        ("gemini", "POST", "/v1beta/models/:generateContent"),
        ("gemini", "POST", "/v1beta/models/a:generateContent?$httpMethod=DELETE"),
        ("gemini", "DELETE", "/v1beta/models/a"),
    ] {
        let refused = Some(Err(Why::NotRelayed));
        assert_eq!(judge(agent, method, path), refused, "{agent} {method} {path}");
    }
}

#[test]
fn only_headers_that_agents_send_are_sent_on() {
    for header in [
        "accept",
        "anthropic-beta",
        "anthropic-dangerous-direct-browser-access",
        "anthropic-version",
        "authorization",
        "content-length",
        "conversation-id",
        "openai-beta",
        "originator",
        "session-id",
        "user-agent",
        "x-api-key",
        "x-app",
        "x-claude-code-session-id",
        "x-client-request-id",
        "x-codex-turn-metadata",
        "x-goog-api-client",
        "x-goog-api-key",
        "x-initiator",
        "x-stainless-helper-method",
        "x-stainless-retry-count",
    ] {
        assert!(passes(header), "{header}");
    }
    for header in [
        "x-http-method-override",
        "x-http-method",
        "x_http_method_override",
        "x-http-method_override",
        "x_original_url",
        "x-original-url",
        "x-rewrite-url",
        "x-forwarded-prefix",
        "forwarded",
        "session_id",
        "anthropic-_method",
        "anthropic_version",
        "x-stainless-x.y",
        "cookie",
        "x-envoy-original-path",
        "",
    ] {
        assert!(!passes(header), "{header}");
    }
}
