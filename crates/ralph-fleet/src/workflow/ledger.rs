//! A tenant's money of one month: what was granted and not yet settled, and what was spent. Pure. Every step is
//! harmless when it is repeated.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::wire::{GrantAsk, Settlement};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ledger {
    pub limit_micro_usd: u64,
    pub spent_micro_usd: u64,
    /// By loop: a loop has one stint at a time, so a later one's grant replaces what a lost one held.
    grants: BTreeMap<String, Grant>,
    /// By loop: up to what its run is settled. Stints settle late, and a lost one not at all.
    runs: BTreeMap<String, Settled>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Settled {
    submission: String,
    total_micro_usd: u64,
}

/// A stint of one submission of a loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Named {
    submission: String,
    stint: u32,
}

impl Named {
    /// Whether it is this stint or a later one of the same submission.
    fn reaches(&self, submission: &str, stint: u32) -> bool {
        self.submission == submission && self.stint >= stint
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Grant {
    to: Named,
    micro_usd: u64,
}

impl Ledger {
    /// What the stint may spend: nothing if nothing is left.
    pub(crate) fn grant(&mut self, ask: GrantAsk) -> u64 {
        let to = Named { submission: ask.submission, stint: ask.stint };
        match self.grants.get(&ask.key) {
            Some(grant) if grant.to == to => return grant.micro_usd,
            Some(grant) if grant.to.reaches(&to.submission, to.stint) => return 0,
            _ => self.grants.remove(&ask.key),
        };
        let micro_usd = self.left().min(ask.wanted_micro_usd);
        if micro_usd > 0 {
            self.grants.insert(ask.key, Grant { to, micro_usd });
        }
        micro_usd
    }

    pub(crate) fn settle(&mut self, done: Settlement) {
        let mut total = done.total_micro_usd.max(done.spent_micro_usd);
        let before = total - done.spent_micro_usd;
        let from = match self.runs.get(&done.key) {
            Some(last) if last.submission == done.submission => {
                total = total.max(last.total_micro_usd);
                before.max(last.total_micro_usd)
            }
            // The run went on when it was submitted anew, and somebody may never have settled.
            Some(last) => before.min(last.total_micro_usd),
            None => before,
        };
        self.spent_micro_usd = self.spent_micro_usd.saturating_add(total.saturating_sub(from));
        let settled = Settled { submission: done.submission.clone(), total_micro_usd: total };
        let of = Named { submission: done.submission, stint: done.stint };
        if self
            .grants
            .get(&done.key)
            .is_some_and(|grant| of.reaches(&grant.to.submission, grant.to.stint))
        {
            self.grants.remove(&done.key);
        }
        self.runs.insert(done.key, settled);
    }

    /// What can still be granted.
    pub fn left(&self) -> u64 {
        let held: u64 = self.grants.values().map(|grant| grant.micro_usd).sum();
        self.limit_micro_usd.saturating_sub(self.spent_micro_usd).saturating_sub(held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(key: &str, stint: u32, wanted_micro_usd: u64) -> GrantAsk {
        GrantAsk { key: key.to_owned(), submission: String::new(), stint, wanted_micro_usd }
    }

    fn settled(key: &str, stint: u32, before: u64, total: u64) -> Settlement {
        let submission = String::new();
        let (spent_micro_usd, total_micro_usd) = (total - before, total);
        Settlement { key: key.to_owned(), submission, stint, spent_micro_usd, total_micro_usd }
    }

    fn with(limit_micro_usd: u64) -> Ledger {
        Ledger { limit_micro_usd, ..Ledger::default() }
    }

    #[test]
    fn what_is_asked_or_settled_twice_counts_once() {
        let mut ledger = with(100);
        assert_eq!((ledger.grant(ask("a", 1, 60)), ledger.grant(ask("a", 1, 60))), (60, 60));
        assert_eq!(ledger.left(), 40);
        ledger.settle(settled("a", 1, 0, 50));
        ledger.settle(settled("a", 1, 0, 50));
        assert_eq!((ledger.left(), ledger.spent_micro_usd), (50, 50));
    }

    #[test]
    fn two_loops_never_get_more_than_there_is() {
        let mut ledger = with(100);
        assert_eq!(ledger.grant(ask("a", 1, 60)), 60);
        assert_eq!(ledger.grant(ask("b", 1, 60)), 40);
        assert_eq!(ledger.grant(ask("c", 1, 60)), 0);
        ledger.settle(settled("a", 1, 0, 10));
        assert_eq!(ledger.grant(ask("c", 1, 60)), 50);
    }

    #[test]
    fn what_a_lost_stint_held_goes_to_the_next_of_its_loop() {
        let mut ledger = with(100);
        assert_eq!(ledger.grant(ask("a", 1, 100)), 100);
        assert_eq!(ledger.grant(ask("a", 2, 100)), 100);
        ledger.settle(settled("a", 1, 0, 30));
        assert_eq!((ledger.left(), ledger.spent_micro_usd), (0, 30));
        ledger.settle(settled("a", 2, 30, 50));
        assert_eq!(ledger.left(), 50);
    }

    #[test]
    fn a_loop_that_is_submitted_anew_is_settled_anew() {
        let mut ledger = with(100);
        ledger.grant(ask("a", 7, 50));
        ledger.settle(settled("a", 7, 0, 10));
        let again = || "again".to_owned();
        assert_eq!(ledger.grant(GrantAsk { submission: again(), ..ask("a", 1, 50) }), 50);
        for _ in 0..2 {
            ledger.settle(Settlement { submission: again(), ..settled("a", 1, 10, 20) });
        }
        assert_eq!(ledger.spent_micro_usd, 20);
        // What the former one held and never settled is free again.
        ledger.grant(ask("b", 7, 80));
        assert_eq!(ledger.grant(GrantAsk { submission: again(), ..ask("b", 1, 80) }), 80);
    }

    #[test]
    fn each_dollar_counts_once_whoever_settles_it_and_when() {
        // The first stint was given up, went on, and settles after the second, which began from nothing too.
        let mut ledger = with(100);
        ledger.settle(settled("a", 2, 0, 20));
        ledger.settle(settled("a", 1, 0, 10));
        assert_eq!(ledger.spent_micro_usd, 20);
        ledger.settle(settled("a", 3, 20, 25));
        assert_eq!(ledger.spent_micro_usd, 25);
        // A stint spent 5 and was lost; the loop is submitted anew, and its run goes on.
        ledger.settle(Settlement { submission: "2".into(), ..settled("a", 1, 30, 40) });
        assert_eq!(ledger.spent_micro_usd, 40);
        // Another run on the branch.
        ledger.settle(Settlement { submission: "3".into(), ..settled("a", 1, 0, 7) });
        assert_eq!(ledger.spent_micro_usd, 47);
    }

    #[test]
    fn more_can_be_spent_than_was_granted_and_then_nothing_is_left() {
        let mut ledger = with(100);
        ledger.grant(ask("a", 1, 100));
        ledger.settle(settled("a", 1, 0, 130));
        assert_eq!((ledger.left(), ledger.grant(ask("a", 2, 10))), (0, 0));
    }
}
