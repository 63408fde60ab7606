//! One process after another works on a run: where it may leave, and what the next one must not forget.

use super::trial::{Call, Trial, tested};
use crate::{
    event::StopHow,
    input::{By, Request, Resumption, What, Wish},
    outcome::Outcome,
    plan::{Criterion, Plan, Task},
    run::{Phase, Share, Stint},
    time::{Millis, Timestamp},
    usage::MicroUsd,
};

const HOUR: Millis = Millis(3_600_000);

fn share() -> Share {
    Share { iterations: 1, time: HOUR, longest_wait: Millis(5_000), money: None }
}

fn by(by: By) -> What {
    What::Resumed(Resumption { by, ..Resumption::default() })
}

/// Six tasks that all fail at once, in a run that ends after three of them.
fn failing(calls: &[Call]) -> Trial {
    let task = |at: usize| Task {
        id: format!("t{at}").as_str().into(),
        acceptance_criteria: vec![Criterion::Checked { text: "works".into(), check: "x".into() }],
        ..Task::default()
    };
    let mut settings = tested();
    settings.limits.max_attempts = 1;
    settings.limits.max_failed_in_a_row = 3;
    Trial::of(Plan { tasks: (0..6).map(task).collect(), ..Plan::default() }, settings, calls)
}

/// Lets one process after another do its share.
fn relay(trial: &mut Trial, who: By) -> u32 {
    for handovers in 0..100 {
        let stint = Stint::new(share(), &trial.state, trial.now);
        let now = trial.now;
        trial.drive_until(|state| stint.leaves(state, state.last_at.max(now)));
        if trial.state.outcome().is_some() {
            return handovers;
        }
        trial.feed(by(who));
    }
    panic!("the run does not end");
}

#[test]
fn three_failures_in_a_row_end_the_run_whoever_worked_on_them() {
    let mut alone = failing(&[Call::Red; 6]);
    alone.drive();
    assert_eq!(alone.called, 3);
    let mut handed = failing(&[Call::Red; 6]);
    assert_eq!(relay(&mut handed, By::Machine), 2);
    assert_eq!(handed.called, 3);
    assert_eq!(handed.state.counters.failed_in_a_row, 3);
    assert!(matches!(handed.state.outcome(), Some(Outcome::NeedsPerson { .. })));
    // A person who lets it go on each time wants all of them tried.
    let mut looked_at = failing(&[Call::Red; 6]);
    relay(&mut looked_at, By::Person);
    assert!(looked_at.called >= 6, "{}", looked_at.called);
}

#[test]
fn a_run_that_is_handed_from_process_to_process_ends_with_the_same_counts() {
    let calls = [Call::Good, Call::Crash, Call::Good, Call::Red, Call::Good, Call::Good];
    let (mut alone, mut handed) = (failing(&calls), failing(&calls));
    alone.drive();
    assert!(relay(&mut handed, By::Machine) > 1);
    assert_eq!(handed.state.counters.iterations, alone.state.counters.iterations);
    assert_eq!(handed.state.counters.uncharged, alone.state.counters.uncharged);
    assert_eq!(handed.state.counters.failed_in_a_row, alone.state.counters.failed_in_a_row);
    assert_eq!(handed.state.usage, alone.state.usage);
    assert_eq!(handed.state.blame, alone.state.blame);
    assert_eq!(handed.state.outcome(), alone.state.outcome());
}

#[test]
fn an_ended_run_is_for_a_person_to_take_up() {
    let mut trial = failing(&[Call::Red; 6]);
    trial.drive();
    let seq = trial.state.seq;
    trial.feed(by(By::Machine));
    assert_eq!(trial.state.seq, seq);
    trial.feed(by(By::Person));
    assert_ne!(trial.state.seq, seq);
}

#[test]
fn a_pause_outlives_the_process_and_a_person_ends_it() {
    let mut trial = failing(&[Call::Good; 6]);
    trial.feed(What::Asked(Request { id: "p".into(), wish: Wish::Pause { now: false } }));
    trial.drive_until(|state| matches!(state.phase, Phase::Paused { .. }));
    let stint = Stint::new(share(), &trial.state, trial.now);
    assert!(stint.leaves(&trial.state, trial.now));
    trial.feed(by(By::Machine));
    trial.drive_until(|state| matches!(state.phase, Phase::Paused { .. }));
    assert_eq!(trial.called, 0);
    trial.feed(What::Asked(Request { id: "r".into(), wish: Wish::Resume }));
    trial.drive();
    assert_eq!(trial.state.outcome(), Some(&Outcome::Done));
}

#[test]
fn a_signal_is_over_with_its_process_but_what_a_person_asked_for_is_not() {
    let stop = || What::Asked(Request { id: "s".into(), wish: Wish::Stop });
    let signal = || What::Signal { signal: 15, count: 1 };
    let orders = [
        (vec![signal()], Outcome::Done),
        (vec![stop(), signal()], Outcome::Stopped),
        (vec![signal(), stop()], Outcome::Stopped),
    ];
    for (said, end) in orders {
        let mut trial = failing(&[Call::Good; 6]);
        trial.drive_until(|state| state.counters.accepted == 1);
        for what in said {
            trial.feed(what);
        }
        assert!(matches!(trial.state.stop, Some(StopHow::Signal { .. })));
        trial.drive();
        assert_eq!(trial.state.outcome(), Some(&Outcome::Interrupted { signal: 15 }));
        trial.feed(by(By::Machine));
        trial.drive();
        assert_eq!(trial.state.outcome(), Some(&end));
    }
}

#[test]
fn a_run_whose_calls_are_used_up_calls_nobody_when_another_process_takes_it_over() {
    let limits =
        [(1, 50, 4, "2 calls in a row failed"), (9, 2, 3, "3 calls of this run produced no work")];
    for (retries, uncharged, calls, words) in limits {
        let mut trial = failing(&[Call::Crash; 9]);
        let limits = &mut trial.state.start.settings.limits;
        (limits.max_retries, limits.max_uncharged) = (retries, uncharged);
        trial.drive_until(|state| matches!(state.phase, Phase::Closing { .. }));
        trial.feed(What::Signal { signal: 15, count: 1 });
        trial.drive();
        assert_eq!(trial.state.outcome(), Some(&Outcome::Interrupted { signal: 15 }));
        trial.feed(by(By::Machine));
        trial.drive();
        assert_eq!(trial.called, calls);
        let Some(Outcome::AgentUnusable { why, .. }) = trial.state.outcome() else {
            panic!("{:?}", trial.state.outcome());
        };
        assert_eq!(why, words);
        trial.feed(by(By::Person));
        trial.drive();
        assert!(trial.called > calls, "a person wants it tried again");
    }
}

#[test]
fn a_pause_that_a_closing_run_left_is_taken_by_the_process_that_goes_on() {
    let mut trial = failing(&[Call::Good; 6]);
    trial.feed(What::Signal { signal: 15, count: 1 });
    trial.drive_until(|state| matches!(state.phase, Phase::Closing { .. }));
    let pause = Request { id: "p".into(), wish: Wish::Pause { now: false } };
    let seq = trial.state.seq;
    trial.feed(What::Asked(pause.clone()));
    assert_eq!(trial.state.seq, seq, "it stays where it is");
    trial.drive();
    trial.feed(by(By::Machine));
    trial.wishes.push(pause);
    trial.drive_until(|state| matches!(state.phase, Phase::Paused { .. }));
    assert!(matches!(trial.state.phase, Phase::Paused { .. }));
    assert_eq!(trial.called, 0);
}

#[test]
fn a_long_wait_is_left_to_the_next_process_and_counts_as_a_wait() {
    let mut trial = failing(&[Call::Limited, Call::Good]);
    trial.drive_until(|state| matches!(state.phase, Phase::Waiting { .. }));
    let Phase::Waiting { until } = trial.state.phase else { panic!("{:?}", trial.state.phase) };
    let stint = Stint::new(share(), &trial.state, trial.now);
    assert!(stint.leaves(&trial.state, trial.now));
    assert!(!stint.leaves(&trial.state, Timestamp(until.0 - 5_000)));
    let idle = trial.state.idle;
    trial.now = until;
    trial.feed(by(By::Machine));
    assert_eq!(trial.state.idle, idle);
    trial.drive_until(|state| state.counters.accepted == 1);
    assert_eq!(trial.called, 2);
}

#[test]
fn a_process_leaves_after_its_time_or_its_money_but_never_before_an_end() {
    let mut trial = failing(&[Call::Good; 6]);
    let late = Timestamp(i64::try_from(HOUR.0).unwrap_or(0) + 1);
    let (money, iterations) = (Some(MicroUsd(1)), 9);
    let rich = Stint::new(Share { iterations, ..share() }, &trial.state, trial.now);
    let poor = Stint::new(Share { iterations, money, ..share() }, &trial.state, trial.now);
    trial.drive_until(|state| state.counters.accepted == 1);
    trial.drive_until(|state| state.phase == Phase::Boundary);
    trial.state.usage.cost = MicroUsd(1);
    assert!(!rich.leaves(&trial.state, trial.now));
    assert!(rich.leaves(&trial.state, late));
    assert!(poor.leaves(&trial.state, trial.now));
    trial.drive_until(|state| state.counters.accepted == 6 && state.phase == Phase::Boundary);
    assert!(!rich.leaves(&trial.state, late), "it ends the run itself");
}
