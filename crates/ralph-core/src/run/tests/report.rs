//! What the fold keeps for the report, on real decisions.

use super::{
    always,
    trial::{Call, Trial, tested},
};
use crate::{
    event::Event,
    plan::Status,
    report::{Report, markdown, state_file},
    vocabulary::Kind,
};

#[test]
fn a_report_never_counts_more_than_was_proved() {
    always(&tested(), |trial| {
        let report = Report::of(&trial.state);
        let counts = report.counts;
        let all = counts.done
            + counts.skipped
            + counts.failed
            + counts.parked
            + counts.blocked
            + counts.open;
        assert_eq!((all, counts.total), (2, 2), "{:?}", trial.calls);
        assert_eq!(counts.verified, 0, "review is off, so nothing has full proof");
        assert_eq!(counts.failed, report.failed.len());
        assert_eq!(report.ended.is_some(), trial.state.outcome().is_some());
        for task in &report.tasks {
            assert_eq!(task.status == Status::Done, task.evidence.len() == 2, "{:?}", trial.calls);
        }
        assert!(markdown(&report).starts_with("# Run r\n"));
    });
}

#[test]
fn a_failed_task_tells_its_last_failure_and_one_tried_again_does_not() {
    let trial = Trial::new(tested(), &[Call::Red, Call::Red]);
    let report = Report::of(&trial.state);
    let failed = report.failed.first().unwrap_or_else(|| panic!("nothing failed"));
    assert_eq!((failed.attempts, failed.max_attempts), (2, 2));
    assert_eq!(failed.last_gate.as_deref(), Some("tests"));
    assert!(failed.branch.as_ref().is_some_and(|name| name.starts_with("wip/ralph-fail-a-")));
    let kinds = &trial.state.counters.kinds;
    let started = trial.events().filter(|event| {
        matches!(event, Event::IterationStarted(start) if start.kind == Kind::Implement && start.retry == 0)
    });
    assert_eq!(kinds.get(&Kind::Implement).copied(), u32::try_from(started.count()).ok());
    let detail = trial.state.detail(0).unwrap_or_else(|| panic!("no detail"));
    assert!(detail.began.is_some() && detail.ended >= detail.began);
}

#[test]
fn a_rejected_attempt_has_a_state_file_until_one_is_accepted() {
    let trial = Trial::new(tested(), &[Call::Red, Call::Good]);
    let mut state: Option<crate::run::RunState> = None;
    let mut seen = Vec::new();
    for (at, decision) in trial.decisions.iter().enumerate() {
        match &mut state {
            Some(state) => state.apply(decision),
            None => state = crate::run::RunState::fold(trial.decisions.get(..=at).unwrap_or(&[])),
        }
        let is = |wanted: fn(&Event) -> bool| decision.events.iter().any(wanted);
        if is(|event| matches!(event, Event::AttemptRejected(_) | Event::AttemptAccepted { .. })) {
            seen.push(state.as_ref().and_then(|state| state_file(state, &"a".into())).is_some());
        }
    }
    assert_eq!(seen.get(..2), Some(&[true, false][..]));
}
