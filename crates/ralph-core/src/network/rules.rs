//! What may leave a box: the rules of one call, and the decision about each request to connect.

use std::net::IpAddr;

use serde::Serialize;

use super::{
    address::{Owner, owner},
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
    /// Hosts that a person named in full: they may be in a network of their own.
    pub in_full: Vec<Host>,
    /// Where requests go that ask ralph and not a host.
    pub relays: Vec<RelayRule>,
}

/// Who named a host, and so where it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// Any host can be reached.
    Nobody,
    /// A rule, or a package manager by itself.
    Rule,
    /// A person, in full.
    Person,
}

impl Naming {
    /// Why a host that is named like this cannot have an address; nothing if it can.
    pub fn refuses(self, address: IpAddr) -> Option<Why> {
        match owner(address) {
            Owner::Anybody => None,
            Owner::Organisation if self == Self::Person => None,
            Owner::Organisation => Some(Why::PrivateAddress),
            Owner::Nobody => Some(Why::NoAddress),
        }
    }
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
    /// The name resolved only to private addresses, and no person has named it in full.
    PrivateAddress,
    /// The name resolved only to addresses that no box may reach, whoever names it.
    NoAddress,
    Unreachable,
    /// The proxy of the user's machine did not connect.
    Proxy,
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
            Self::NoAddress => "the host name resolves to this machine or a metadata service",
            Self::Unreachable => "the host does not respond",
            Self::Proxy => "the proxy in HTTPS_PROXY does not connect to the host",
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
        Self {
            preset: NetworkPreset::None,
            hosts: Vec::new(),
            in_full: Vec::new(),
            relays: Vec::new(),
        }
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

    /// Who named a host that may be reached. Whether the user's own files name it is asked last.
    pub fn naming(&self, host: &Host, is_written: impl FnOnce(&Host) -> bool) -> Naming {
        match self.preset {
            _ if self.in_full.contains(host) || is_written(host) => Naming::Person,
            NetworkPreset::Open if !self.names(host) => Naming::Nobody,
            _ => Naming::Rule,
        }
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
        NetworkRules { preset, hosts, ..NetworkRules::none() }.decide(target, |_| false).err()
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
            NetworkRules { preset: NetworkPreset::Registries, hosts, ..NetworkRules::none() };
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
    fn only_hosts_that_a_person_named_in_full_may_be_in_a_network_of_their_own() {
        let parsed = |text: &str| text.parse::<Host>().ok();
        let why = |preset, name: &str, address: &str| {
            let hosts = ["a.corp.example", "*.corp.example"].into_iter();
            let hosts = hosts.filter_map(|rule| rule.parse().ok()).collect();
            let in_full = parsed("a.corp.example").into_iter().collect();
            let rules = NetworkRules { preset, hosts, in_full, relays: Vec::new() };
            let naming =
                rules.naming(&parsed(name)?, |host| Some(host) == parsed("npm.example").as_ref());
            naming.refuses(address.parse().ok()?)
        };
        for preset in [NetworkPreset::Model, NetworkPreset::Registries, NetworkPreset::Open] {
            for name in ["a.corp.example", "npm.example"] {
                assert_eq!(why(preset, name, "10.1.2.3"), None);
                assert_eq!(why(preset, name, "127.0.0.1"), Some(Why::NoAddress));
                assert_eq!(why(preset, name, "169.254.169.254"), Some(Why::NoAddress));
            }
            for name in ["b.corp.example", "other.example"] {
                assert_eq!(why(preset, name, "10.1.2.3"), Some(Why::PrivateAddress), "{name}");
                assert_eq!(why(preset, name, "192.1.2.3"), None);
            }
        }
    }

    #[test]
    fn presets_reach_from_nothing_to_any_name() {
        assert_eq!(decide(NetworkPreset::None, "registry.example:443"), Some(Why::NotAllowed));
        assert_eq!(decide(NetworkPreset::Open, "any.example:443"), None);
        assert_eq!(decide(NetworkPreset::Open, "any.example:22"), Some(Why::Port));
        assert_eq!(decide(NetworkPreset::Open, "1.1.1.1:443"), Some(Why::IsAddress));
    }
}
