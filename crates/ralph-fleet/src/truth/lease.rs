//! The lease: who may work on a branch. The server's word orders claims; the remote's compare-and-swap decides them.

use serde::{Deserialize, Serialize};

/// Who holds a branch, or held it last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lease {
    /// Counts claims.
    pub epoch: u64,
    pub held: bool,
    /// When the server scheduled the holder's activity.
    pub scheduled_ms: u64,
    /// Which attempt of that activity it is.
    pub attempt: u32,
    /// Host, process and stint; no two stints share one.
    pub holder: String,
    /// The loop whose branch this is. One repository may have several addresses, and each makes a loop.
    pub key: String,
    /// The submission that made it: its stints alone claim the branch. Two servers may have a loop of one name.
    pub submission: String,
    /// A person gave the branch to its loop although somebody held it, whose own server may never take it back.
    pub is_taken_over: bool,
    /// How long the holder's agent may live once the lease is somebody else's, if its server is content with it.
    pub noticed_within_ms: u64,
    /// The run whose journal the truth has.
    pub run: Option<String>,
    /// Of the worker that wrote this truth.
    pub version: String,
}

/// The place of a claim among others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    pub scheduled_ms: u64,
    pub attempt: u32,
}

impl Lease {
    pub fn rank(&self) -> Rank {
        Rank { scheduled_ms: self.scheduled_ms, attempt: self.attempt }
    }

    /// Whether it was written by a worker that may know more than one of this version.
    pub fn is_newer_than(&self, version: &str) -> bool {
        numbers(&self.version) > numbers(version)
    }
}

/// A version's numbers; what is none counts as nothing.
fn numbers(version: &str) -> [u64; 3] {
    let plain = version.split(['-', '+']).next().unwrap_or_default();
    let mut numbers = plain.split('.').map(|part| part.parse().unwrap_or(0));
    [(); 3].map(|()| numbers.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        let of = |version: &str| Lease { version: version.into(), ..Lease::default() };
        assert!(of("0.10.0").is_newer_than("0.9.3"));
        assert!(of("1.0").is_newer_than("0.9.3"));
        assert!(!of("0.9.3").is_newer_than("0.9.3"));
        assert!(!of("0.9.3-dev").is_newer_than("0.9.3"));
        assert!(!of("").is_newer_than("0.1.0"));
    }

    #[test]
    fn later_attempts_and_later_activities_come_after() {
        let rank = |scheduled_ms, attempt| Rank { scheduled_ms, attempt };
        assert!(rank(5, 2) > rank(5, 1) && rank(6, 1) > rank(5, 9));
    }
}
