//! What kept a run's agents in, and which hosts they spoke to: facts for the journal and the report. Enforces nothing.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

/// Name of the backend that isolates nothing.
const OFF: &str = "off";

/// What holds without a sandbox.
pub const NO_GUARANTEE: &str =
    "not isolated: the agent can do what you can do, and gates judge all that lies in the worktree";

/// Which backend was really in force, and what it promises.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Isolation {
    /// `bubblewrap`, `seatbelt` or `off`.
    pub backend: String,
    /// What it stops and what the network is, in one line.
    pub guarantee: String,
    /// The network of the box in a few words; empty where the backend has none of its own, and in older journals.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub network: String,
}

impl Isolation {
    /// Nothing is in the way of the agent.
    pub fn off() -> Self {
        Self { backend: OFF.into(), guarantee: NO_GUARANTEE.into(), network: String::new() }
    }

    /// Whether anything is in the way of the agent.
    pub fn is_isolated(&self) -> bool {
        self.backend != OFF
    }

    /// Whether agents cannot write what ralph writes in `.ralph`: whoever changes it then is a person.
    pub fn keeps_the_plan(&self) -> bool {
        ["bubblewrap", "seatbelt"].contains(&self.backend.as_str())
    }

    /// A few words for a crowded line: `bubblewrap · network: registries`.
    pub fn summary(&self) -> String {
        match (self.is_isolated(), self.network.as_str()) {
            (false, _) => "not isolated".into(),
            (true, "") => self.backend.clone(),
            (true, network) => format!("{} · network: {network}", self.backend),
        }
    }
}

impl Default for Isolation {
    /// Journals that say nothing are older than the first backend.
    fn default() -> Self {
        Self::off()
    }
}

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.guarantee)
    }
}

/// What one host was asked for, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Contact {
    /// As the program inside named it, without its port.
    pub host: String,
    /// Connections that were let through.
    pub allowed: u64,
    /// Connections that were refused.
    pub refused: u64,
    /// Why the last of those was refused.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// Bytes sent to it.
    pub sent: u64,
    /// Bytes received from it.
    pub received: u64,
}

/// Everything that a run's agents and gates asked of the network, by host.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Traffic {
    hosts: BTreeMap<String, Contact>,
}

/// Most hosts that are kept apart: a program that tries names at random must not fill the journal.
const MOST_HOSTS: usize = 1000;

/// Where the hosts beyond those are counted.
const OTHERS: &str = "(others)";

impl Traffic {
    /// Counts what one process asked for.
    pub fn add(&mut self, contacts: &[Contact]) {
        for contact in contacts {
            let is_known = self.hosts.contains_key(&contact.host);
            let name =
                if is_known || self.hosts.len() < MOST_HOSTS { &contact.host } else { OTHERS };
            let sum = self.hosts.entry(name.to_owned()).or_default();
            name.clone_into(&mut sum.host);
            sum.allowed = sum.allowed.saturating_add(contact.allowed);
            sum.refused = sum.refused.saturating_add(contact.refused);
            sum.sent = sum.sent.saturating_add(contact.sent);
            sum.received = sum.received.saturating_add(contact.received);
            if !contact.why.is_empty() {
                sum.why.clone_from(&contact.why);
            }
        }
    }

    /// Every host, in order of name.
    pub fn contacts(&self) -> impl Iterator<Item = &Contact> {
        self.hosts.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn off_is_not_isolated_and_says_so() {
        let off = Isolation::default();
        assert!(!off.is_isolated());
        assert_eq!(off.to_string(), NO_GUARANTEE);
        let bubblewrap = Isolation { backend: "bubblewrap".into(), ..Isolation::off() };
        assert!(bubblewrap.is_isolated());
        assert_eq!(
            (off.summary(), bubblewrap.summary()),
            ("not isolated".into(), "bubblewrap".into())
        );
        let fenced = Isolation { network: "registries".into(), ..bubblewrap };
        assert_eq!(fenced.summary(), "bubblewrap · network: registries");
    }

    #[test]
    fn what_a_host_was_asked_for_adds_up() {
        let once = Contact { host: "a.example".into(), allowed: 1, sent: 10, ..Contact::default() };
        let refused =
            Contact { refused: 2, why: "not listed".into(), sent: 0, allowed: 0, ..once.clone() };
        let mut traffic = Traffic::default();
        traffic.add(&[once.clone(), refused]);
        traffic.add(&[once]);
        let contacts: Vec<&Contact> = traffic.contacts().collect();
        let [sum] = contacts.as_slice() else { panic!("{contacts:?}") };
        assert_eq!((sum.allowed, sum.refused, sum.sent), (2, 2, 20));
        assert_eq!(sum.why, "not listed");
    }

    #[test]
    fn names_tried_at_random_are_counted_together_from_some_number_on() {
        let mut traffic = Traffic::default();
        for nth in 0..MOST_HOSTS * 2 {
            let host = format!("h{nth}.example");
            traffic.add(&[Contact { host, refused: 1, ..Contact::default() }]);
        }
        assert_eq!(traffic.contacts().count(), MOST_HOSTS + 1);
        assert_eq!(traffic.contacts().map(|one| one.refused).sum::<u64>(), 2 * MOST_HOSTS as u64);
    }
}
