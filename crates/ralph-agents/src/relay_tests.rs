//! What the built-in agents need of the relay: their keys stay outside, their hosts are known.

use ralph_core::network::{
    HostRule, RelayPlan, RelayProblem, Upstream, model_hosts, relay_environment,
};

use crate::{Agent, BUILT_IN, find};

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
                relay.upstream.is_none_or(|url| Upstream::parse(url).is_ok_and(|url| url.is_tls))
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
    let expected = [("ANTHROPIC_API_KEY", "sk-ant-kept-outside"), ("ANTHROPIC_BASE_URL", relay)]
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
    let headers: Vec<_> = headers.map(|(name, value)| (name.as_str(), value.reveal())).collect();
    assert_eq!(headers, [("x-team", "blue"), ("authorization", "Bearer real")]);
    assert!(plan.withheld.contains(&"ANTHROPIC_CUSTOM_HEADERS"));
    assert!(!format!("{plan:?}").contains("Bearer"));
    Ok(())
}

#[test]
fn an_address_of_the_users_own_is_kept_and_the_agents_hosts_are_not() -> Result<(), RelayProblem> {
    let own = [("OPENAI_BASE_URL", "http://127.0.0.1:9/v1"), ("CODEX_API_KEY", "sk-real")];
    let plan = plan("codex", &own)?;
    let Some(plan) = plan else { panic!("there is no relay") };
    assert_eq!(plan.rule.upstream.to_string(), "http://127.0.0.1:9/v1");
    assert!(plan.rule.is_users_own);
    let setting = "openai_base_url=\"http://127.0.0.1:61080/relay/openai\"";
    assert_eq!(plan.arguments, ["-c", setting]);
    assert_eq!(plan.variables, [("CODEX_API_KEY".to_owned(), "sk-kept-outside".to_owned())]);
    let facts = find("codex").map(Agent::facts);
    let hosts = |url: &str| facts.map(|facts| model_hosts(&facts, |_| Some(url.to_owned())).len());
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
