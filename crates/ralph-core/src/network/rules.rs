//! What may leave a box: the rules of one call, and the decision about each request to connect.

use serde::Serialize;

use super::{
    host::{Host, HostProblem, HostRule},
    relay::RelayRule,
    upstream,
};
use crate::vocabulary::NetworkPreset;

/// The one port that can be reached.
const PORT: u16 = 443;

/// The rules of one call. Without relays and hosts nothing can be reached, unless the preset is open.
#[derive(Debug, Clone)]
pub struct NetworkRules {
    pub preset: NetworkPreset,
    /// Every host that can be reached, beside those that package managers name.
    pub hosts: Vec<HostRule>,
    /// Where requests go that ask ralph and not a host.
    pub relays: Vec<RelayRule>,
}

/// Why something could not be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    BadRequest,
    /// The host's name breaks the grammar.
    BadHost,
    IsAddress,
    Port,
    NotAllowed,
    NoRelay,
    NotRelayed,
    /// The call has used up its requests to relays.
    UsedUp,
    Upgrade,
    Unresolved,
    /// The name resolved only to addresses that no box may reach.
    PrivateAddress,
    Unreachable,
    /// The TLS client asked for another server than the one it connected to, or for none.
    ServerName,
    Slow,
    Busy,
    /// The connection broke, or ralph ended it.
    Broken,
}

impl Why {
    /// The reason in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::BadRequest => "the request is malformed or not supported",
            Self::BadHost => "the host name is malformed",
            Self::IsAddress => "only host names can be reached, not addresses",
            Self::Port => "only port 443 can be reached",
            Self::NotAllowed => "no rule allows the host",
            Self::NoRelay => "there is no such relay",
            Self::NotRelayed => "the key is for model requests only, and this is not one",
            Self::UsedUp => "this call has used up its requests to the model",
            Self::Upgrade => "a relay speaks only HTTP",
            Self::Unresolved => "the host name does not resolve",
            Self::PrivateAddress => "the host name resolves to a private network",
            Self::Unreachable => "the host does not respond",
            Self::ServerName => "the client asked for another server than it connected to",
            Self::Slow => "the client took too long",
            Self::Busy => "too many connections are open",
            Self::Broken => "the connection broke",
        }
    }
}

impl NetworkRules {
    /// Rules by which nothing can be reached.
    pub fn none() -> Self {
        Self { preset: NetworkPreset::None, hosts: Vec::new(), relays: Vec::new() }
    }

    /// Decides about the target of a CONNECT request, `host:port`: the host to connect to, at port 443. Whether a
    /// package manager names a host is asked only about one that nothing else allows: the answer takes a while.
    pub fn decide(
        &self,
        target: &str,
        is_registry: impl FnOnce(&Host) -> bool,
    ) -> Result<Host, Why> {
        let (host, port) = target.rsplit_once(':').ok_or(Why::BadRequest)?;
        let host: Host = host.parse().map_err(|problem| match problem {
            HostProblem::Address => Why::IsAddress,
            _ => Why::BadHost,
        })?;
        let port = upstream::number(port).ok_or(Why::BadRequest)?;
        if port != PORT {
            return Err(Why::Port);
        }
        let is_allowed = match self.preset {
            NetworkPreset::None => false,
            NetworkPreset::Open => true,
            NetworkPreset::Model => self.names(&host),
            NetworkPreset::Registries => self.names(&host) || is_registry(&host),
        };
        if is_allowed { Ok(host) } else { Err(Why::NotAllowed) }
    }

    fn names(&self, host: &Host) -> bool {
        self.hosts.iter().any(|rule| rule.allows(host))
    }

    /// Whether a TLS client must ask for the server that it connected to. Where any host can be reached a false
    /// name opens nothing more, and other protocols may use the port.
    pub fn checks_server_name(&self) -> bool {
        self.preset != NetworkPreset::Open
    }

    /// The relay of this name.
    pub fn relay(&self, name: &str) -> Option<&RelayRule> {
        self.relays.iter().find(|relay| relay.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(preset: NetworkPreset, target: &str) -> Option<Why> {
        let hosts = ["registry.example", "*.below.example"].into_iter();
        let hosts = hosts.filter_map(|rule| rule.parse().ok()).collect();
        NetworkRules { preset, hosts, relays: Vec::new() }.decide(target, |_| false).err()
    }

    #[test]
    fn only_what_a_rule_names_can_be_reached() {
        for (target, why) in [
            ("registry.example:443", None),
            ("REGISTRY.example:443", None),
            ("a.below.example:443", None),
            ("below.example:443", Some(Why::NotAllowed)),
            ("evilregistry.example:443", Some(Why::NotAllowed)),
            ("registry.example.evil.example:443", Some(Why::NotAllowed)),
            ("registry.example:22", Some(Why::Port)),
            ("registry.example:80", Some(Why::Port)),
            ("registry.example", Some(Why::BadRequest)),
            ("registry.example:", Some(Why::BadRequest)),
            ("registry.example:+443", Some(Why::BadRequest)),
            ("registry.example:0443x", Some(Why::BadRequest)),
            ("a..registry.example:443", Some(Why::BadHost)),
            ("user@registry.example:443", Some(Why::BadHost)),
            ("evil.example#registry.example:443", Some(Why::BadHost)),
            ("registry.example\0.evil.example:443", Some(Why::BadHost)),
            ("127.0.0.1:443", Some(Why::IsAddress)),
            ("2130706433:443", Some(Why::IsAddress)),
            ("0x7f000001:443", Some(Why::IsAddress)),
            ("[::1]:443", Some(Why::IsAddress)),
        ] {
            assert_eq!(decide(NetworkPreset::Registries, target), why, "{target:?}");
        }
    }

    #[test]
    fn package_managers_are_asked_only_about_hosts_that_nothing_else_allows() {
        let hosts = ["model.example"].into_iter().filter_map(|rule| rule.parse().ok()).collect();
        let mut rules =
            NetworkRules { preset: NetworkPreset::Registries, hosts, relays: Vec::new() };
        let mut asked = Vec::new();
        for target in ["model.example:443", "a.example:22", "1.1.1.1:443", "a.example:443"] {
            let noted = |host: &Host| {
                asked.push(host.to_string());
                false
            };
            rules.decide(target, noted).ok();
        }
        assert_eq!(asked, ["a.example"]);
        assert!(rules.decide("a.example:443", |_| true).is_ok());
        rules.preset = NetworkPreset::Model;
        assert_eq!(rules.decide("a.example:443", |_| true), Err(Why::NotAllowed));
    }

    #[test]
    fn presets_reach_from_nothing_to_any_name() {
        assert_eq!(decide(NetworkPreset::None, "registry.example:443"), Some(Why::NotAllowed));
        assert_eq!(decide(NetworkPreset::Open, "any.example:443"), None);
        assert_eq!(decide(NetworkPreset::Open, "any.example:22"), Some(Why::Port));
        assert_eq!(decide(NetworkPreset::Open, "1.1.1.1:443"), Some(Why::IsAddress));
    }
}
