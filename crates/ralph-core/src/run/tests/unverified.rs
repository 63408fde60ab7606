//! Runs without gates: a check of its own is all that can verify a task.

use super::trial::{Call, Trial, tested};
use crate::{
    event::Event,
    outcome::Outcome,
    plan::amend::Ruling,
    settings::{Gate, Settings},
    verdict::Reason,
};

fn ungated() -> Settings {
    Settings { gate: Vec::<Gate>::new(), ..tested() }
}

#[test]
fn a_check_that_failed_did_run() {
    let trial = Trial::new(ungated(), &[Call::Red]);
    let reasons: Vec<&Reason> = trial
        .events()
        .filter_map(|event| match event {
            Event::VerdictReached(verdict) => Some(&verdict.reasons),
            _ => None,
        })
        .flatten()
        .collect();
    assert!(reasons.iter().any(|one| matches!(one, Reason::CheckFailed { .. })), "{reasons:?}");
    assert!(!reasons.contains(&&Reason::NothingToVerifyWith), "{reasons:?}");
}

#[test]
fn an_agent_cannot_add_what_could_never_pass() {
    let adds = r#"{"task_completed":{"fully_complete":true},"plan_amendments":[{"action":"add","task":{"id":"n","title":"n","description":"more"},"reason":"needed"}]}"#;
    for (settings, is_refused) in [(ungated(), true), (tested(), false)] {
        let mut trial = Trial::idle(settings, &[Call::Good]);
        trial.handoff = Some(adds.into());
        trial.drive_until(|state| state.tasks[0].status.satisfies());
        let ruled = trial.events().find_map(|event| match event {
            Event::AmendmentsRuled { ruled, .. } => Some(ruled[0].ruling.clone()),
            _ => None,
        });
        assert_eq!(matches!(ruled, Some(Ruling::Refused { .. })), is_refused, "{ruled:?}");
        trial.handoff = None;
        trial.drive();
        assert_eq!(trial.state.outcome(), Some(&Outcome::Done));
    }
}
