//! What went through the gateway of a box, host by host.

use std::collections::BTreeMap;

use serde::Serialize;

use super::rules::Why;

/// Most hosts that are told apart; a box that makes up names must not fill ralph's memory.
const MOST_HOSTS: usize = 1000;
/// Longest name that is kept of what a client made up.
const LONGEST: usize = 100;

/// All connections of a box.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Traffic {
    pub hosts: BTreeMap<String, HostTraffic>,
    /// Connections to further hosts than are told apart.
    pub others: u64,
}

/// All connections to one host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct HostTraffic {
    /// Connections that came about.
    pub connections: u64,
    /// Connections that did not.
    pub refused: u64,
    /// Why the last of those did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
    /// Bytes that left the box.
    pub up: u64,
    /// Bytes that came into the box.
    pub down: u64,
}

impl Traffic {
    /// Adds one connection.
    pub fn note(&mut self, host: &str, one: &HostTraffic) {
        let name = shown(host);
        if self.hosts.len() >= MOST_HOSTS && !self.hosts.contains_key(&name) {
            self.others += 1;
            return;
        }
        let sum = self.hosts.entry(name).or_default();
        sum.connections += one.connections;
        sum.refused += one.refused;
        sum.up += one.up;
        sum.down += one.down;
        sum.why = one.why.or(sum.why);
    }

    /// Adds the connections of another box.
    pub fn add(&mut self, other: &Self) {
        for (host, one) in &other.hosts {
            self.note(host, one);
        }
        self.others += other.others;
    }

    /// The hosts that no rule allowed: what the user may want to allow.
    pub fn denied(&self) -> impl Iterator<Item = &str> {
        let denied = |one: &&HostTraffic| one.why == Some(Why::NotAllowed);
        self.hosts.iter().filter(move |(_, one)| denied(one)).map(|(host, _)| host.as_str())
    }
}

/// A made-up name as it can be shown: short, in one line, without control characters.
fn shown(host: &str) -> String {
    let escaped = host.chars().take(LONGEST).flat_map(|one| {
        let is_plain = one.is_ascii_graphic();
        let (plain, escaped) = if is_plain { (Some(one), None) } else { (None, Some(one)) };
        plain.into_iter().chain(escaped.into_iter().flat_map(char::escape_unicode))
    });
    escaped.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(why: Why) -> HostTraffic {
        HostTraffic { refused: 1, why: Some(why), ..HostTraffic::default() }
    }

    #[test]
    fn connections_add_up_and_denied_hosts_are_named() {
        let mut traffic = Traffic::default();
        let one = HostTraffic { connections: 1, up: 3, down: 4, ..HostTraffic::default() };
        traffic.note("a.example", &one);
        traffic.note("a.example", &one);
        traffic.note("b.example", &refused(Why::NotAllowed));
        traffic.note("c.example", &refused(Why::Port));
        let mut sum = Traffic::default();
        sum.add(&traffic);
        assert_eq!(sum, traffic);
        let a = &traffic.hosts["a.example"];
        assert_eq!((a.connections, a.up, a.down, a.why), (2, 6, 8, None));
        assert_eq!(traffic.denied().collect::<Vec<_>>(), ["b.example"]);
    }

    #[test]
    fn made_up_names_are_shown_harmlessly_and_do_not_fill_the_memory() {
        let mut traffic = Traffic::default();
        traffic.note("a\u{1b}[2J\0\u{456}", &refused(Why::BadHost));
        assert!(traffic.hosts.contains_key("a\\u{1b}[2J\\u{0}\\u{456}"), "{traffic:?}");
        for number in 0..2 * MOST_HOSTS {
            traffic.note(&format!("{number}.example"), &refused(Why::NotAllowed));
        }
        assert_eq!(traffic.hosts.len(), MOST_HOSTS);
        assert_eq!(traffic.others, MOST_HOSTS as u64 + 1);
    }
}
