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
