//! The invariants of the machine, each on every short sequence of agent calls. The simulator in the test kit
//! does the same with faults, people and chance.

mod blame;
mod cuts;
mod isolation;
mod memory;
mod night;
mod people;
mod planning;
mod policies;
mod report;
mod review;
mod seams;
mod steering;
mod stint;
mod trial;
mod unverified;

use self::trial::{CALLS, Call, Trial, tested};
use super::{RunState, decide, next};
use crate::{
    effect::{Effect, Step},
    event::{Decision, Event, FORMAT},
    input::{Done, Input, Resumption, What, Workspace},
    outcome::Outcome,
    plan::{Criterion, Plan, Status, Task},
    settings::{ProtectMode, Settings},
    time::Millis,
    verdict::Reason,
};

/// Runs a check on every sequence of four calls.
fn always(settings: &Settings, check: impl Fn(&Trial)) {
    for number in 0..CALLS.len().pow(4) {
        let calls: Vec<Call> = (0..4)
            .filter_map(|at| CALLS.get(number / CALLS.len().pow(at) % CALLS.len()))
            .copied()
            .collect();
        check(&Trial::new(settings.clone(), &calls));
    }
}

#[test]
fn every_commit_directly_follows_an_accepted_verdict_on_the_same_tree() {
    always(&tested(), |trial| {
        for (decided, effect) in &trial.effects {
            if let Effect::Commit(commit) = effect {
                let last = trial.decisions.get(decided - 1);
                let verdict =
                    last.into_iter().flat_map(|last| &last.events).find_map(|event| match event {
                        Event::VerdictReached(verdict) => Some(verdict),
                        _ => None,
                    });
                assert!(
                    verdict.is_some_and(|v| v.accepted && v.tree.as_ref() == Some(&commit.tree)),
                    "{commit:?} after {verdict:?}"
                );
            }
        }
    });
}

#[test]
fn nothing_to_verify_with_means_not_accepted() {
    let checked = Task {
        id: "a".into(),
        acceptance_criteria: vec![Criterion::Checked {
            text: "works".into(),
            check: "true".into(),
        }],
        ..Task::default()
    };
    let plan = Plan { tasks: vec![checked], ..Plan::default() };
    let settings = Settings { gate: Vec::new(), ..tested() };
    let mut trial = Trial::of(plan, settings, &[Call::Good]);
    trial.drive();
    assert_eq!(trial.state.outcome(), Some(&Outcome::Done));
    // The same run, but the check that made it startable is gone from the pinned plan.
    if let Some(Event::RunStarted(start)) = trial.decisions[0].events.first_mut() {
        std::sync::Arc::make_mut(&mut start.plan).tasks[0].acceptance_criteria.clear();
    }
    let replayed = RunState::fold([&trial.decisions[0]]);
    trial.decisions.truncate(1);
    if let Some(state) = replayed {
        trial.state = state;
    }
    trial.called = 0;
    trial.drive();
    assert!(matches!(trial.state.outcome(), Some(Outcome::NeedsPerson { .. })));
    assert!(!trial.events().any(|event| matches!(event, Event::Committed { .. })));
}

#[test]
fn done_only_with_complete_evidence() {
    always(&tested(), |trial| {
        for (at, progress) in trial.state.tasks.iter().enumerate() {
            let evidence = trial.state.detail(at).map_or(0, |detail| detail.evidence.len());
            assert_eq!(progress.status == Status::Done, evidence == 2, "{:?}", trial.calls);
        }
    });
}

#[test]
fn nothing_starts_beyond_a_limit() {
    let mut settings = tested();
    settings.limits.max_iterations = 3;
    settings.limits.max_cost_usd = 1.0;
    always(&settings, |trial| {
        let mut spent = 0;
        for event in trial.events() {
            match event {
                Event::IterationStarted(start) => {
                    assert!(start.iteration <= 3 && spent < 1_000_000);
                    assert!(start.attempt <= start.max_attempts);
                }
                Event::AgentEnded(report) => spent += report.usage.cost.0,
                _ => {}
            }
        }
    });
}

#[test]
fn a_task_is_committed_at_most_once_per_accepted_attempt() {
    always(&tested(), |trial| {
        let count = |is: fn(&Event) -> bool| trial.events().filter(|event| is(event)).count();
        let committed = count(|event| matches!(event, Event::Committed { .. }));
        let accepted = count(|event| matches!(event, Event::AttemptAccepted { .. }));
        assert!(committed <= accepted, "{:?}", trial.calls);
    });
}

#[test]
fn replaying_the_journal_gives_the_identical_state() {
    always(&tested(), |trial| {
        assert_eq!(RunState::fold(&trial.decisions).as_ref(), Some(&trial.state));
    });
    let trial = Trial::new(tested(), &[Call::Red, Call::Crash, Call::Limited]);
    let lines: Vec<String> = trial.decisions.iter().flat_map(serde_json::to_string).collect();
    let read: Vec<Decision> = lines.iter().flat_map(|line| serde_json::from_str(line)).collect();
    assert_eq!(read, trial.decisions);
    assert_eq!(RunState::fold(&read).as_ref(), Some(&trial.state));
}

#[test]
fn an_effect_repeated_after_a_crash_changes_nothing() {
    let trial = Trial::new(tested(), &[Call::Red, Call::Red, Call::Good]);
    for (decided, effect) in &trial.effects {
        let Some(mut state) = trial.decisions.get(..*decided).and_then(RunState::fold) else {
            continue;
        };
        let at = state.last_at.plus(Millis::secs(3600));
        for what in [
            What::Resumed(Resumption::default()),
            What::Done(
                crate::effect::EffectId(state.effects + 1),
                Done::WorkspaceOpened(Workspace::default()),
            ),
        ] {
            let events = decide(&state, &Input { at, what });
            let seq = state.seq;
            state.apply(&Decision { v: FORMAT, run: "r".into(), lane: 0, seq, at, events });
        }
        let again = next(&state);
        match (effect, again) {
            (Effect::Commit(before), Step::Perform(_, Effect::Commit(again))) => {
                assert_eq!(*before, again);
            }
            (Effect::Quarantine(before), Step::Perform(_, Effect::Quarantine(again))) => {
                assert_eq!(*before, again);
            }
            (Effect::GiveUp(before), Step::Perform(_, Effect::GiveUp(again))) => {
                assert_eq!(*before, again);
            }
            (Effect::Commit(_) | Effect::Quarantine(_) | Effect::GiveUp(_), other) => {
                panic!("{effect:?} became {other:?}");
            }
            _ => {}
        }
    }
}

#[test]
fn every_run_ends() {
    always(&tested(), |trial| {
        assert!(trial.state.outcome().is_some(), "{:?}", trial.calls);
    });
}

#[test]
fn a_second_signal_of_another_kind_kills_and_the_first_names_the_end() {
    let mut trial = Trial::new(tested(), &[]);
    let first = trial.decisions.first().cloned();
    if let Some(state) = RunState::fold(first.iter()) {
        trial.state = state;
    }
    for (signal, count) in [(15, 1), (2, 2)] {
        trial.feed(What::Signal { signal, count });
    }
    trial.drive();
    assert_eq!(trial.state.outcome(), Some(&Outcome::Interrupted { signal: 15 }));
}

#[test]
fn a_protected_path_rejects_before_any_gate_runs_and_the_attempt_starts_over() {
    let mut settings = tested();
    settings.gates.protect = vec!["tests/**".into()];
    settings.gates.protect_mode = ProtectMode::Deny;
    let trial = Trial::new(settings.clone(), &[Call::Meddles]);
    assert_eq!(trial.state.outcome(), Some(&Outcome::Done));
    let verdict = trial.events().find_map(|event| match event {
        Event::VerdictReached(verdict) => Some(verdict),
        _ => None,
    });
    let reason = Reason::ProtectedPath { path: "tests/a.rs".into(), glob: "tests/**".into() };
    assert_eq!(verdict.map(|verdict| &verdict.reasons), Some(&vec![reason]));
    let rejected = trial.events().position(|event| matches!(event, Event::AttemptRejected(_)));
    let gated = trial.events().position(|event| matches!(event, Event::GatesRan { .. }));
    assert!(rejected.is_some() && rejected < gated, "{rejected:?} {gated:?}");
    let repairs = |(_, effect): &(usize, Effect)| matches!(effect, Effect::Checkpoint(checkpoint) if checkpoint.start.is_some());
    assert!(!trial.effects.iter().any(repairs), "nothing is repaired");
    let prompts = trial.effects.iter().filter_map(|(_, effect)| match effect {
        Effect::RunAgent(call) => Some(call.prompt.as_str()),
        _ => None,
    });
    assert!(prompts.skip(1).any(|prompt| prompt.contains("tests/a.rs, which tests/** protects")));

    settings.gates.protect_mode = ProtectMode::Review;
    let trial = Trial::new(settings, &[Call::Meddles]);
    let rejected = trial.events().any(|event| matches!(event, Event::AttemptRejected(_)));
    assert!(!rejected, "the reviewer is told instead");
}
