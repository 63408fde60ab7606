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
    open: BTreeMap<String, Grant>,
    /// By loop: the latest stint that was settled.
    settled: BTreeMap<String, u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Grant {
    stint: u32,
    micro_usd: u64,
}

impl Ledger {
    /// What the stint may spend: nothing if nothing is left.
    pub(crate) fn grant(&mut self, ask: GrantAsk) -> u64 {
        match self.open.get(&ask.key) {
            Some(grant) if grant.stint == ask.stint => return grant.micro_usd,
            Some(grant) if grant.stint > ask.stint => return 0,
            _ => self.open.remove(&ask.key),
        };
        let micro_usd = self.left().min(ask.wanted_micro_usd);
        if micro_usd > 0 {
            // A loop that was submitted anew counts its stints anew.
            if self.settled.get(&ask.key).is_some_and(|last| *last >= ask.stint) {
                self.settled.remove(&ask.key);
            }
            self.open.insert(ask.key, Grant { stint: ask.stint, micro_usd });
        }
        micro_usd
    }

    pub(crate) fn settle(&mut self, done: Settlement) {
        if self.settled.get(&done.key).is_some_and(|last| *last >= done.stint) {
            return;
        }
        self.spent_micro_usd = self.spent_micro_usd.saturating_add(done.spent_micro_usd);
        if self.open.get(&done.key).is_some_and(|grant| grant.stint <= done.stint) {
            self.open.remove(&done.key);
        }
        self.settled.insert(done.key, done.stint);
    }

    /// What can still be granted.
    pub fn left(&self) -> u64 {
        let held: u64 = self.open.values().map(|grant| grant.micro_usd).sum();
        self.limit_micro_usd.saturating_sub(self.spent_micro_usd).saturating_sub(held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(key: &str, stint: u32, wanted_micro_usd: u64) -> GrantAsk {
        GrantAsk { key: key.to_owned(), stint, wanted_micro_usd }
    }

    fn settled(key: &str, stint: u32, spent_micro_usd: u64) -> Settlement {
        Settlement { key: key.to_owned(), stint, spent_micro_usd }
    }

    fn with(limit_micro_usd: u64) -> Ledger {
        Ledger { limit_micro_usd, ..Ledger::default() }
    }

    #[test]
    fn what_is_asked_or_settled_twice_counts_once() {
        let mut ledger = with(100);
        assert_eq!((ledger.grant(ask("a", 1, 60)), ledger.grant(ask("a", 1, 60))), (60, 60));
        assert_eq!(ledger.left(), 40);
        ledger.settle(settled("a", 1, 50));
        ledger.settle(settled("a", 1, 50));
        assert_eq!((ledger.left(), ledger.spent_micro_usd), (50, 50));
    }

    #[test]
    fn two_loops_never_get_more_than_there_is() {
        let mut ledger = with(100);
        assert_eq!(ledger.grant(ask("a", 1, 60)), 60);
        assert_eq!(ledger.grant(ask("b", 1, 60)), 40);
        assert_eq!(ledger.grant(ask("c", 1, 60)), 0);
        ledger.settle(settled("a", 1, 10));
        assert_eq!(ledger.grant(ask("c", 1, 60)), 50);
    }

    #[test]
    fn what_a_lost_stint_held_goes_to_the_next_of_its_loop() {
        let mut ledger = with(100);
        assert_eq!(ledger.grant(ask("a", 1, 100)), 100);
        assert_eq!(ledger.grant(ask("a", 2, 100)), 100);
        ledger.settle(settled("a", 1, 30));
        assert_eq!((ledger.left(), ledger.spent_micro_usd), (0, 30));
        ledger.settle(settled("a", 2, 20));
        assert_eq!(ledger.left(), 50);
    }

    #[test]
    fn a_loop_that_is_submitted_anew_is_settled_anew() {
        let mut ledger = with(100);
        ledger.grant(ask("a", 7, 50));
        ledger.settle(settled("a", 7, 10));
        ledger.grant(ask("a", 1, 50));
        ledger.settle(settled("a", 1, 10));
        assert_eq!(ledger.spent_micro_usd, 20);
    }

    #[test]
    fn more_can_be_spent_than_was_granted_and_then_nothing_is_left() {
        let mut ledger = with(100);
        ledger.grant(ask("a", 1, 100));
        ledger.settle(settled("a", 1, 130));
        assert_eq!((ledger.left(), ledger.grant(ask("a", 2, 10))), (0, 0));
    }
}
