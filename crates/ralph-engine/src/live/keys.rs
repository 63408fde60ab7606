//! Which keys and variables an agent has in its box, which hosts they open, and which keys stay outside.

use std::{
    ffi::OsString,
    path::{Component, Path},
};

use ralph_agents::service_of;
use ralph_core::{
    agent_facts::{Facts, ServiceKey},
    effect::AgentCall,
    input::{Failure, FailureClass},
    network::{NetworkRules, RelayPlan, model_hosts, relay_environment},
    time::Millis,
};

use super::{Live, login::Lent};
use crate::{clock, sandbox::GATEWAY_PORT};

/// A login that ends within this time may end during a call that has no limit.
const SOON: Millis = Millis(60 * 60 * 1000);

impl Live {
    /// How the agent's key is kept out of the box, if it can be.
    pub(super) fn relay(&self, facts: &Facts) -> Result<Option<RelayPlan>, Failure> {
        if !self.enclosure.has_gateway() {
            return Ok(None);
        }
        let gateway = format!("http://127.0.0.1:{GATEWAY_PORT}");
        relay_environment(facts, |name| self.text_variable(name), &gateway).map_err(|problem| {
            Failure {
                class: FailureClass::Agent,
                what: problem.to_string(),
                help: format!("correct {} or unset it", problem.variable),
            }
        })
    }

    /// The keys that are in the box as they are, because the agent reads them by itself. A program of the repository
    /// gets none: whoever wrote it would choose where they go.
    pub(super) fn keys_inside(
        &self,
        call: &AgentCall,
        facts: &Facts,
        program: &str,
        folder: &Path,
    ) -> Vec<&'static str> {
        let is_named = |key: &ServiceKey| call.env.iter().any(|name| name == key.variable);
        let is_theirs = call.custom.is_none() && is_of_repository(Path::new(program), folder);
        let is_set = |name: &str| self.text_variable(name).is_some_and(|value| !value.is_empty());
        let keys = facts.keys.iter().filter(|key| is_named(key) || !is_theirs);
        keys.map(|key| key.variable).filter(|name| is_set(name)).collect()
    }

    /// Says once for each agent which keys it has in its box, or which it would need to be given.
    pub(super) fn told_keys(
        &mut self,
        agent: &str,
        facts: &Facts,
        inside: &[&str],
    ) -> Option<String> {
        if !self.enclosure.is_closed() || !self.told_keys.insert(agent.to_owned()) {
            return None;
        }
        if !inside.is_empty() {
            return Some(format!(
                "{agent} has {} in its box: ralph cannot keep this agent's keys outside",
                inside.join(", ")
            ));
        }
        let is_unknown = facts.hosts.is_empty() && facts.keys.is_empty();
        let set = self.environment.iter().filter_map(|(name, _)| name.to_str());
        let set: Vec<&str> = set.filter(|name| service_of(name).is_some()).collect();
        (is_unknown && !set.is_empty()).then(|| {
            format!(
                "{} stays outside the box: agent.env in your own settings passes it to this command",
                set.join(", ")
            )
        })
    }

    /// Says once for each agent what of its login it has, and before a call when that will not last.
    pub(super) fn told_login(
        &mut self,
        (agent, facts): (&str, &Facts),
        call: &AgentCall,
        login: &Lent,
    ) -> Vec<String> {
        if login.files.is_empty() {
            return Vec::new();
        }
        let mut notes = vec![format!(
            "{agent} works with a copy of your login ({}) without its refresh token",
            login.files.join(", ")
        )];
        let length = if call.hard_timeout.is_zero() { SOON } else { call.hard_timeout };
        let now = clock::now();
        if let Some(expires) = login.expires.filter(|at| *at <= now.plus(length)) {
            let minutes = expires.since(now).0 / 60_000;
            let when = match minutes {
                _ if expires <= now => "has expired".to_owned(),
                0 => "expires in less than a minute".to_owned(),
                _ => format!("expires in {minutes} min"),
            };
            let lasts = facts.lasting_login.map(|(command, variable)| {
                format!("; `{command}` makes a token that lasts, for {variable}")
            });
            notes.push(format!(
                "this login {when} and cannot be renewed in a sandbox: run `{agent}` once yourself to renew it{}",
                lasts.unwrap_or_default()
            ));
        }
        let told = &mut self.told_keys;
        notes.retain(|note| told.insert(note.clone()));
        notes
    }

    /// What the agent may reach: its own hosts, and those of the keys that the user passes to it by name.
    pub(super) fn agent_rules(
        &self,
        call: &AgentCall,
        facts: &Facts,
        relay: Option<&RelayPlan>,
    ) -> NetworkRules {
        let mut model = model_hosts(facts, |name| self.text_variable(name));
        let named = call.env.iter().filter_map(|name| service_of(name));
        model.extend(named.filter_map(|key| key.host.parse().ok()));
        let relays = relay.map(|relay| relay.rule.clone()).into_iter().collect();
        self.enclosure.rules(self.settings.sandbox.network, model, relays)
    }

    /// The caller's variables for an agent: in a box only the harmless ones, what sets the agent up, the keys that
    /// are `inside` and what its settings name; never a key that the gateway adds.
    pub(super) fn agent_environment(
        &self,
        call: &AgentCall,
        facts: &Facts,
        relay: Option<&RelayPlan>,
        inside: &[&str],
    ) -> Vec<(OsString, OsString)> {
        let withheld = relay.map(|relay| relay.withheld.as_slice()).unwrap_or_default();
        let keys = facts.relay.map(|relay| relay.keys).unwrap_or_default();
        let asked = |name: &str| {
            let is_key = keys.iter().any(|key| key.variable == name) || inside.contains(&name);
            let is_asked = call.env.iter().any(|asked| asked == name) || facts.is_set_up_by(name);
            !withheld.contains(&name) && (is_key || is_asked)
        };
        self.enclosure.environment(&self.environment, asked)
    }
}

/// Whether a program is one that the repository brings. A bare name is looked for on the user's `PATH`.
fn is_of_repository(program: &Path, folder: &Path) -> bool {
    let is_bare = matches!(*program.components().collect::<Vec<_>>(), [Component::Normal(_)]);
    let place = folder.join(program);
    let place = place.canonicalize().unwrap_or(place);
    !is_bare && place.starts_with(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_program_below_the_repository_is_its_own() {
        let folder = Path::new("/srv/project");
        for (program, is_its_own) in [
            ("opencode", false),
            ("./opencode", true),
            ("tools/opencode", true),
            ("/srv/project/bin/opencode", true),
            ("/usr/bin/opencode", false),
        ] {
            assert_eq!(is_of_repository(Path::new(program), folder), is_its_own, "{program}");
        }
    }
}
