//! Keys that stay outside: what the agent gets in their place, and where its requests go.

use std::fmt;

use thiserror::Error;

use super::{
    host::HostRule,
    upstream::{Upstream, UpstreamProblem},
};
use crate::agent_facts::{Facts, KeyHeader, Request};

/// A value that must not be shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(value: String) -> Self {
        Self(value)
    }

    /// The value, for the one who sends it or looks for it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// Where requests below `/relay/NAME` go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelayRule {
    pub name: String,
    pub upstream: Upstream,
    /// The user named the upstream: it is dialled as given, in their own network too.
    pub is_users_own: bool,
    /// The header and the key that are put in the place of the client's; without one the client's own stay.
    pub key: Option<(KeyHeader, Secret)>,
    /// The user's own headers, added to each request; names in small letters.
    pub headers: Vec<(String, Secret)>,
    /// The requests that are sent on.
    pub requests: &'static [Request],
}

/// How one agent is made to use a relay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelayPlan {
    /// What the agent's environment in the box gets; nothing of it is secret.
    pub variables: Vec<(String, String)>,
    /// Arguments it gets.
    pub arguments: Vec<String>,
    /// Variables of the user that it must not get.
    pub withheld: Vec<&'static str>,
    pub rule: RelayRule,
}

/// Why the user's address cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the address in {variable} cannot be used: {problem}")]
pub struct RelayProblem {
    pub variable: &'static str,
    pub problem: UpstreamProblem,
}

/// How this agent is made to use a relay at `gateway` (`http://127.0.0.1:PORT`), if it can be and there is a reason
/// to: a key to keep, or an address of the user's own.
pub fn relay_environment(
    facts: &Facts,
    variable: impl Fn(&str) -> Option<String>,
    gateway: &str,
) -> Result<Option<RelayPlan>, RelayProblem> {
    let Some(relay) = facts.relay else { return Ok(None) };
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let own = set(relay.base_url);
    let key = relay.keys.iter().find_map(|key| set(key.variable).map(|value| (key, value)));
    if own.is_none() && key.is_none() {
        return Ok(None);
    }
    let Some(address) = own.as_deref().or(relay.upstream) else { return Ok(None) };
    let upstream = Upstream::parse(address)
        .map_err(|problem| RelayProblem { variable: relay.base_url, problem })?;
    let url = format!("{gateway}/relay/{}", relay.name);
    let mut variables = Vec::new();
    let mut arguments = Vec::new();
    match relay.base_url_option {
        None => variables.push((relay.base_url.to_owned(), url)),
        Some((option, setting)) => {
            arguments.extend([option.to_owned(), format!("{setting}=\"{url}\"")]);
        }
    }
    variables.extend(key.iter().map(|(key, _)| (key.variable.to_owned(), key.stand_in.to_owned())));
    Ok(Some(RelayPlan {
        variables,
        arguments,
        withheld: relay.keys.iter().map(|key| key.variable).chain(relay.headers).collect(),
        rule: RelayRule {
            name: relay.name.to_owned(),
            upstream,
            is_users_own: own.is_some(),
            key: key.map(|(key, value)| (key.header, Secret::new(value))),
            headers: relay.headers.and_then(set).map(|text| headers(&text)).unwrap_or_default(),
            requests: relay.requests,
        },
    }))
}

/// Headers as a variable holds them: a line each, name and value with a colon between them.
fn headers(text: &str) -> Vec<(String, Secret)> {
    // Those that say where a message goes and where it ends are not the user's to set.
    let is_own =
        |name: &str| matches!(name, "host" | "content-length" | "transfer-encoding" | "connection");
    let is_name = |name: &str| {
        let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        is_plain && !name.is_empty() && !is_own(name)
    };
    let is_value = |value: &str| value.chars().all(|one| !one.is_control());
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    let pairs = pairs.map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim()));
    pairs
        .filter(|(name, value)| is_name(name) && is_value(value))
        .map(|(name, value)| (name, Secret::new(value.to_owned())))
        .collect()
}

/// The hosts of the preset `model`: those of the agent and of the keys it reads, or that of the address the user gave
/// it.
pub fn model_hosts(facts: &Facts, variable: impl Fn(&str) -> Option<String>) -> Vec<HostRule> {
    let own = facts.relay.and_then(|relay| variable(relay.base_url)).filter(|url| !url.is_empty());
    let read = |text: &str| text.parse().ok();
    if let Some(url) = own {
        return Upstream::parse(&url).ok().and_then(|url| read(&url.host)).into_iter().collect();
    }
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let keys = facts.keys.iter().filter(|key| is_set(key.variable));
    let of_keys = keys.map(|key| key.host).filter(|host| !facts.hosts.contains(host));
    facts.hosts.iter().copied().chain(of_keys).filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::{Agent, BUILT_IN, find};

    const GATEWAY: &str = "http://127.0.0.1:61080";

    fn plan(agent: &str, set: &[(&str, &str)]) -> Result<Option<RelayPlan>, RelayProblem> {
        let facts = find(agent).map(Agent::facts).into_iter().next();
        let value = |name: &str| {
            set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        facts.map_or(Ok(None), |facts| relay_environment(&facts, value, GATEWAY))
    }

    #[test]
    fn every_agents_facts_can_be_used() {
        for agent in BUILT_IN {
            let facts = agent.facts();
            assert_eq!(model_hosts(&facts, |_| None).len(), facts.hosts.len(), "{}", agent.name());
            if let Some(relay) = facts.relay {
                assert!(
                    relay
                        .upstream
                        .is_none_or(|url| Upstream::parse(url).is_ok_and(|url| url.is_tls))
                );
                assert!(!relay.keys.is_empty(), "{}", agent.name());
            }
            for key in facts.keys {
                assert!(key.host.parse::<HostRule>().is_ok(), "{}", key.variable);
                assert!(!facts.is_set_up_by(key.variable), "{}", key.variable);
            }
            if let Some(home) = facts.config_home {
                assert!(!facts.is_set_up_by(home.variable), "{}", home.variable);
            }
            for file in facts.login_files.iter().chain(facts.config_files) {
                assert!(!file.starts_with('/') && !file.contains(".."), "{file}");
            }
        }
    }

    #[test]
    fn the_key_stays_outside_and_a_stand_in_goes_in() -> Result<(), RelayProblem> {
        let plan = plan("claude", &[("ANTHROPIC_API_KEY", "sk-ant-real")])?;
        let Some(plan) = plan else { panic!("there is no relay") };
        let relay = "http://127.0.0.1:61080/relay/anthropic";
        let expected =
            [("ANTHROPIC_API_KEY", "sk-ant-kept-outside"), ("ANTHROPIC_BASE_URL", relay)]
                .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut variables = plan.variables.clone();
        variables.sort();
        assert_eq!(variables, expected);
        assert_eq!(plan.rule.upstream.to_string(), "https://api.anthropic.com");
        assert!(!plan.rule.is_users_own);
        let key = plan.rule.key.as_ref().map(|(header, key)| header.value(key.reveal()));
        assert_eq!(key.as_deref(), Some("sk-ant-real"));
        assert!(!format!("{plan:?}").contains("sk-ant-real"));
        assert!(plan.withheld.contains(&"CLAUDE_CODE_OAUTH_TOKEN"));
        Ok(())
    }

    #[test]
    fn headers_of_the_users_own_stay_outside_with_the_key() -> Result<(), RelayProblem> {
        let lines = "X-Team: blue\nauthorization: Bearer real\nHost: evil.example\nbad\n: x";
        let set = [("ANTHROPIC_API_KEY", "k"), ("ANTHROPIC_CUSTOM_HEADERS", lines)];
        let Some(plan) = plan("claude", &set)? else { panic!("there is no relay") };
        let headers = plan.rule.headers.iter();
        let headers: Vec<_> =
            headers.map(|(name, value)| (name.as_str(), value.reveal())).collect();
        assert_eq!(headers, [("x-team", "blue"), ("authorization", "Bearer real")]);
        assert!(plan.withheld.contains(&"ANTHROPIC_CUSTOM_HEADERS"));
        assert!(!format!("{plan:?}").contains("Bearer"));
        Ok(())
    }

    #[test]
    fn an_address_of_the_users_own_is_kept_and_the_agents_hosts_are_not() -> Result<(), RelayProblem>
    {
        let own = [("OPENAI_BASE_URL", "http://127.0.0.1:9/v1"), ("CODEX_API_KEY", "sk-real")];
        let plan = plan("codex", &own)?;
        let Some(plan) = plan else { panic!("there is no relay") };
        assert_eq!(plan.rule.upstream.to_string(), "http://127.0.0.1:9/v1");
        assert!(plan.rule.is_users_own);
        let setting = "openai_base_url=\"http://127.0.0.1:61080/relay/openai\"";
        assert_eq!(plan.arguments, ["-c", setting]);
        assert_eq!(plan.variables, [("CODEX_API_KEY".to_owned(), "sk-kept-outside".to_owned())]);
        let facts = find("codex").map(Agent::facts);
        let hosts =
            |url: &str| facts.map(|facts| model_hosts(&facts, |_| Some(url.to_owned())).len());
        assert_eq!(hosts("http://127.0.0.1:9/v1"), Some(0));
        assert_eq!(hosts("https://gate.example/v1"), Some(1));
        Ok(())
    }

    #[test]
    fn a_key_that_an_agent_reads_by_itself_opens_its_own_service() {
        let facts = find("opencode").map(Agent::facts);
        let hosts = |set: &str| {
            let value = |name: &str| (name == set).then(|| "x".to_owned());
            facts.map(|facts| model_hosts(&facts, value).len())
        };
        assert_eq!(hosts(""), facts.map(|facts| facts.hosts.len()));
        assert_eq!(hosts("OPENROUTER_API_KEY"), facts.map(|facts| facts.hosts.len() + 1));
        assert_eq!(hosts("OPENAI_API_KEY"), facts.map(|facts| facts.hosts.len()));
    }

    #[test]
    fn without_key_and_address_there_is_no_relay_and_a_bad_address_is_told() {
        assert_eq!(plan("claude", &[]), Ok(None));
        assert_eq!(plan("claude", &[("ANTHROPIC_API_KEY", "")]), Ok(None));
        assert_eq!(plan("text", &[("ANTHROPIC_API_KEY", "x")]), Ok(None));
        assert_eq!(plan("copilot", &[("COPILOT_PROVIDER_API_KEY", "x")]), Ok(None));
        let bad = plan("claude", &[("ANTHROPIC_BASE_URL", "model.example")]);
        assert_eq!(bad.map_err(|bad| bad.variable), Err("ANTHROPIC_BASE_URL"));
    }
}
