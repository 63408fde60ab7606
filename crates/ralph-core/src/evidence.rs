//! What proves that a criterion is met, bound to the tree that was judged.
//!
//! Invariant: `done` only with complete evidence.

use serde::{Deserialize, Serialize};

use crate::{ids::TreeId, plan::Task};

/// The record that one acceptance criterion ends with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The criterion in the plan's words.
    pub criterion: String,
    /// How it was judged.
    pub by: Judged,
    /// The tree that was judged: the one that was committed.
    pub tree: TreeId,
}

/// How a criterion was judged, and the proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "judge", rename_all = "snake_case")]
pub enum Judged {
    /// ralph ran the criterion's own check.
    Check { command: String, exit_code: i32, log: String },
    /// A fresh agent judged it, and said what shows it.
    Reviewer { agent: String, iteration: u32, met: bool, evidence: String, comment: String },
    /// A person approved the work.
    Person,
    /// Nobody judged it: review is off. Labelled wherever a result is shown.
    Unreviewed,
}

impl Judged {
    /// Whether the criterion is met, as far as it was judged at all.
    pub fn met(&self) -> bool {
        match self {
            Self::Check { exit_code, .. } => *exit_code == 0,
            Self::Reviewer { met, .. } => *met,
            Self::Person | Self::Unreviewed => true,
        }
    }
}

/// Something weaker than full proof, named wherever the result is shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "label", rename_all = "snake_case")]
pub enum Label {
    /// A hard gate was red before and is still red, with no new failure.
    RedBaseline { gate: String },
    /// A hard gate failed once and passed when run again.
    Flaky { gate: String },
    /// A hard gate changes files of the tree that it judges; it did so before the run too.
    ChangesFiles { gate: String },
    /// Criteria that no check covers and no reviewer saw.
    Unreviewed { criteria: u32 },
    /// A reviewer approved it, and nothing ran that tests it.
    NotTested,
    /// It has no acceptance criteria: nothing says what had to be proved.
    NoCriteria,
    /// A person approved it in place of a reviewer.
    ApprovedByPerson,
    /// The reviewer wanted changes; the settings say to approve at the cap.
    AutoApprovedAtCap { findings: u32 },
    /// Neither gates nor checks nor review: only the agent's word.
    Unverified,
    /// The plan came with the task done: ralph has seen no proof of it.
    ImportedAsDone,
    /// It was done when the run began: this run has not looked at it.
    DoneBefore,
}

impl Label {
    /// The label in words.
    pub fn describe(&self) -> String {
        match self {
            Self::RedBaseline { gate } => format!("gate {gate} was red before and still is"),
            Self::Flaky { gate } => format!("gate {gate} failed once, then passed"),
            Self::ChangesFiles { gate } => {
                format!("gate {gate} changes files that it judges, as before the run")
            }
            Self::Unreviewed { criteria: 1 } => "1 criterion unreviewed".into(),
            Self::Unreviewed { criteria } => format!("{criteria} criteria unreviewed"),
            Self::NotTested => "reviewed, not tested".into(),
            Self::NoCriteria => "no criteria".into(),
            Self::ApprovedByPerson => "approved by a person".into(),
            Self::AutoApprovedAtCap { findings } => {
                format!("AUTO-APPROVED AT CAP, open findings: {findings}")
            }
            Self::Unverified => "unverified".into(),
            Self::ImportedAsDone => "imported as done, not proved by ralph".into(),
            Self::DoneBefore => "done before this run, not checked again".into(),
        }
    }
}

/// Whether this evidence lets a task be called done: a record for each criterion, and each met, or the label
/// that says that it is not.
pub fn completes(task: &Task, evidence: &[Evidence], labels: &[Label]) -> bool {
    let recorded = task.acceptance_criteria.iter().enumerate().all(|(at, criterion)| {
        evidence.get(at).is_some_and(|one| {
            let fits = match criterion.check() {
                Some(command) => {
                    matches!(&one.by, Judged::Check { command: ran, .. } if ran == command)
                }
                None => !matches!(one.by, Judged::Check { .. }),
            };
            one.criterion == criterion.text() && fits
        })
    });
    let has = |wanted: fn(&Label) -> bool| labels.iter().any(wanted);
    let labelled = |judged: &Judged| match judged {
        Judged::Check { exit_code, .. } => *exit_code == 0,
        Judged::Reviewer { met, .. } => {
            *met || has(|label| matches!(label, Label::AutoApprovedAtCap { .. }))
        }
        Judged::Person => has(|label| matches!(label, Label::ApprovedByPerson)),
        Judged::Unreviewed => has(|label| matches!(label, Label::Unreviewed { .. })),
    };
    let is_named =
        !task.acceptance_criteria.is_empty() || has(|label| matches!(label, Label::NoCriteria));
    recorded && is_named && evidence.iter().all(|one| labelled(&one.by))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Criterion;

    fn task() -> Task {
        Task {
            acceptance_criteria: vec![
                Criterion::Checked { text: "builds".into(), check: "make".into() },
                Criterion::Sentence("reads well".into()),
            ],
            ..Task::default()
        }
    }

    fn evidence(exit_code: i32, met: bool) -> Vec<Evidence> {
        let check = Judged::Check { command: "make".into(), exit_code, log: "l".into() };
        let reviewer = Judged::Reviewer {
            agent: "claude".into(),
            iteration: 2,
            met,
            evidence: "a.rs:1".into(),
            comment: String::new(),
        };
        let record = |criterion: &str, by| Evidence {
            criterion: criterion.into(),
            by,
            tree: TreeId("t".into()),
        };
        vec![record("builds", check), record("reads well", reviewer)]
    }

    #[test]
    fn done_only_with_complete_evidence() {
        assert!(completes(&task(), &evidence(0, true), &[]));
        assert!(!completes(&task(), &evidence(1, true), &[]));
        assert!(!completes(&task(), &evidence(0, false), &[]));
        assert!(!completes(&task(), &evidence(0, true)[..1], &[]));
        assert!(!completes(&task(), &[], &[Label::Unverified]));
        assert!(!completes(&Task::default(), &[], &[]));
        assert!(completes(&Task::default(), &[], &[Label::NoCriteria]));
        let mut swapped = evidence(0, true);
        swapped.swap(0, 1);
        assert!(!completes(&task(), &swapped, &[]));
    }

    #[test]
    fn weaker_evidence_counts_only_with_its_label() {
        let cap = [Label::AutoApprovedAtCap { findings: 1 }];
        assert!(completes(&task(), &evidence(0, false), &cap));
        assert!(!completes(&task(), &evidence(1, false), &cap), "a red check is never approved");
        let mut unreviewed = evidence(0, true);
        unreviewed[1].by = Judged::Unreviewed;
        assert!(!completes(&task(), &unreviewed, &[]));
        assert!(completes(&task(), &unreviewed, &[Label::Unreviewed { criteria: 1 }]));
        let mut person = evidence(0, true);
        person[1].by = Judged::Person;
        assert!(!completes(&task(), &person, &[]));
        assert!(completes(&task(), &person, &[Label::ApprovedByPerson]));
    }
}
