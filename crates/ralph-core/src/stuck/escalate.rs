//! What is done about stuck work: another strategy, more context, another agent; then an end.
//!
//! A task has few attempts, so measures of several tiers may be taken together.

use serde::{Deserialize, Serialize};

use super::Stuck;

/// Most strategy shifts of a task.
const SHIFTS: u32 = 2;
/// Most for an agent that changes nothing: what it needs is not a second new strategy.
const SHIFTS_WHEN_IDLE: u32 = 1;

/// What was already done about a stuck task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Escalated {
    /// Strategy shifts.
    pub shifts: u32,
    /// Its context was expanded.
    pub expanded: bool,
    /// Rungs of the ladder it was moved up.
    pub rungs: u32,
}

impl Escalated {
    /// Notes measures that are taken.
    pub fn take(&mut self, measures: &Measures) {
        self.shifts += u32::from(measures.shift);
        self.expanded |= !measures.expand.is_empty();
        self.rungs += u32::from(measures.climb);
    }
}

/// What the next attempt gets that those before it had not.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Measures {
    /// Back to the checkpoint; the approach that failed is named and forbidden.
    pub shift: bool,
    /// Files of the tree that the failure is about.
    pub expand: Vec<String>,
    /// The next agent or model of the ladder.
    pub climb: bool,
}

impl Measures {
    /// The measures in words.
    pub fn describe(&self) -> String {
        let mut words = Vec::new();
        if self.shift {
            words.push("strategy shift".to_owned());
        }
        if !self.expand.is_empty() {
            words.push(format!("more context about {}", self.expand.join(", ")));
        }
        if self.climb {
            words.push("the next agent of the ladder".to_owned());
        }
        words.join(", ")
    }
}

/// What is done about a stuck task; `None` if nothing is left to try. `files` are those that lead out of the newest
/// failure's gap; `ladder` counts
/// the rungs above the agent that the task began with.
///
/// To be asked once for each setback, so that every measure gets an attempt before the next is taken.
pub fn escalate(
    stuck: &Stuck,
    files: &[String],
    done: &Escalated,
    ladder: usize,
) -> Option<Measures> {
    let most = match stuck {
        Stuck::NothingChanges { .. } => SHIFTS_WHEN_IDLE,
        Stuck::SameFailure { .. } | Stuck::SameFindings { .. } => SHIFTS,
    };
    let rung_left = usize::try_from(done.rungs).is_ok_and(|rungs| rungs < ladder);
    let measures = Measures {
        shift: done.shifts < most,
        expand: if done.expanded { Vec::new() } else { files.to_vec() },
        climb: done.shifts > 0 && rung_left,
    };
    Some(measures).filter(|measures| *measures != Measures::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure() -> Stuck {
        Stuck::SameFailure { times: 3, fingerprint: "f".into() }
    }

    fn idle() -> Stuck {
        Stuck::NothingChanges { times: 2 }
    }

    fn findings() -> Stuck {
        Stuck::SameFindings { times: 2 }
    }

    fn found(name: &str) -> Vec<String> {
        vec![name.to_owned()]
    }

    /// All steps until the stop, in words, for a task that stays stuck.
    fn steps(stuck: &Stuck, files: &[String], ladder: usize) -> Vec<String> {
        let mut done = Escalated::default();
        let mut steps = Vec::new();
        while let Some(measures) = escalate(stuck, files, &done, ladder) {
            assert_ne!(measures, Measures::default(), "a step without a measure");
            steps.push(measures.describe());
            done.take(&measures);
            assert!(steps.len() < 20, "it never ends: {steps:?}");
        }
        steps
    }

    #[test]
    fn without_a_ladder_two_shifts_come_before_the_stop() {
        assert_eq!(steps(&failure(), &[], 0), ["strategy shift", "strategy shift"]);
        assert_eq!(steps(&findings(), &[], 0), ["strategy shift", "strategy shift"]);
    }

    #[test]
    fn an_agent_that_changes_nothing_gets_one_shift() {
        assert_eq!(steps(&idle(), &[], 0), ["strategy shift"]);
        let done = Escalated { shifts: 1, ..Escalated::default() };
        assert_eq!(escalate(&idle(), &[], &done, 0), None);
    }

    #[test]
    fn an_idle_agent_is_replaced_where_there_is_another() {
        assert_eq!(steps(&idle(), &[], 1), ["strategy shift", "the next agent of the ladder"]);
    }

    #[test]
    fn a_gap_is_filled_with_the_first_shift_and_only_once() {
        assert_eq!(
            steps(&failure(), &found("app/db.py"), 0),
            ["strategy shift, more context about app/db.py", "strategy shift"]
        );
    }

    #[test]
    fn a_gap_that_shows_late_is_filled_all_the_same() {
        let done = Escalated { shifts: 2, expanded: false, rungs: 0 };
        let expected = Measures { expand: vec!["x".into()], ..Measures::default() };
        let step = escalate(&failure(), &found("x"), &done, 0);
        assert_eq!(step, Some(expected));
        assert_eq!(escalate(&failure(), &[], &done, 0), None);
    }

    #[test]
    fn the_ladder_is_climbed_from_the_second_time_on_and_to_its_end() {
        assert_eq!(
            steps(&failure(), &[], 3),
            [
                "strategy shift",
                "strategy shift, the next agent of the ladder",
                "the next agent of the ladder",
                "the next agent of the ladder",
            ]
        );
    }

    #[test]
    fn no_more_than_two_shifts_whatever_the_reason_turns_into() {
        let mut done = Escalated::default();
        for stuck in [failure(), findings(), failure(), idle(), findings()] {
            if let Some(measures) = escalate(&stuck, &[], &done, 0) {
                done.take(&measures);
            }
        }
        assert_eq!(done, Escalated { shifts: 2, expanded: false, rungs: 0 });
        assert_eq!(escalate(&findings(), &[], &done, 0), None);
    }

    #[test]
    fn every_combination_ends_within_the_sum_of_its_measures() {
        let files = found("x");
        for stuck in [failure(), idle(), findings()] {
            for files in [&[][..], &files] {
                for ladder in 0..4 {
                    assert!(steps(&stuck, files, ladder).len() <= 2 + ladder);
                }
            }
        }
    }
}
