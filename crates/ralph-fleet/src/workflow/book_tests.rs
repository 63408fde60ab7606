//! Tests of what a loop remembers.

use super::*;
use crate::wire::{Limits, Times};

fn book() -> Book {
    let spec = LoopSpec {
        repo: "https://git.example/a.git".into(),
        branch: "ralph/a".into(),
        tenant: "team".into(),
        account: "main".into(),
        limits: Limits::default(),
        times: Times::default(),
    };
    Book::new(LoopInput { spec, carry: Carry::default() })
}

fn wish(id: &str) -> Wish {
    Wish { id: id.into(), wish: input::Wish::Resume }
}

fn stop(id: &str) -> Wish {
    Wish { id: id.into(), wish: input::Wish::Stop }
}

fn report(end: StintEnd, delivered: &[&str]) -> StintReport {
    StintReport {
        end,
        done: 1,
        tasks: 3,
        iterations: 4,
        cost_micro_usd: 5,
        truth: "0a".into(),
        host: "h".into(),
        took_over: false,
        warm: false,
        delivered: delivered.iter().map(|id| (*id).to_owned()).collect(),
    }
}

fn placed(book: &mut Book) {
    assert!(book.placed(Placed { stint: book.carry.stints, queue: "host:h".into() }));
}

#[test]
fn a_wish_goes_with_every_stint_until_a_report_names_it() {
    let mut book = book();
    book.heard(wish("1"));
    book.heard(wish("1"));
    assert_eq!(book.next_stint("k", false).wishes, [wish("1")]);
    assert!(book.failed(false, false).is_some());
    assert_eq!(book.next_stint("k", false).wishes, [wish("1")]);
    book.took(report(StintEnd::Boundary, &[]));
    assert_eq!(book.next_stint("k", false).wishes, [wish("1")]);
    book.took(report(StintEnd::Boundary, &["1"]));
    assert!(book.next_stint("k", false).wishes.is_empty());
}

#[test]
fn what_comes_later_is_sent_once_to_where_the_stint_is() {
    let mut book = book();
    book.heard(wish("1"));
    book.next_stint("k", false);
    book.heard(wish("2"));
    assert_eq!(book.unsent(), None, "nobody knows where the stint is");
    placed(&mut book);
    assert_eq!(book.unsent(), Some(&wish("2")));
    book.sent("2");
    assert_eq!(book.unsent(), None);
    book.took(report(StintEnd::Boundary, &["1"]));
    assert_eq!(book.next_stint("k", false).wishes, [wish("2")], "sent is not delivered");
}

#[test]
fn only_what_the_stint_was_not_given_ends_the_wait_after_it() {
    let mut book = book();
    book.heard(wish("1"));
    book.next_stint("k", false);
    book.took(report(StintEnd::NeedsPerson { why: "?".into() }, &[]));
    assert!(!book.carry.told, "it was given, so handing it out again would change nothing");
    book.heard(wish("2"));
    assert!(book.carry.told);
    book.next_stint("k", true);
    placed(&mut book);
    book.heard(wish("3"));
    book.sent("3");
    book.took(report(StintEnd::NeedsPerson { why: "?".into() }, &["1", "2"]));
    assert!(book.carry.told, "it may have come after the last look at the inbox");
    book.next_stint("k", true);
    book.took(report(StintEnd::NeedsPerson { why: "?".into() }, &["3"]));
    assert!(!book.carry.told);
}

#[test]
fn a_stint_that_is_over_is_nowhere() {
    let mut book = book();
    book.next_stint("k", false);
    book.next_stint("k", false);
    assert!(!book.placed(Placed { stint: 1, queue: "host:old".into() }));
    assert_eq!(book.place, None);
}

#[test]
fn a_stint_that_was_not_begun_tells_only_how_to_go_on() {
    let mut book = book();
    book.next_stint("k", false);
    book.took(report(StintEnd::Boundary, &[]));
    book.next_stint("k", false);
    let bounced = StintReport {
        done: 0,
        iterations: 0,
        cost_micro_usd: 0,
        truth: String::new(),
        ..report(StintEnd::Wait { until_ms: 9 }, &[])
    };
    book.took(bounced);
    assert_eq!(book.carry.last, Some(report(StintEnd::Wait { until_ms: 9 }, &[])));
}

#[test]
fn pauses_grow_until_the_loop_gives_up_and_a_report_begins_anew() {
    let mut book = book();
    let pauses: Vec<_> =
        (0..5).map(|_| book.failed(false, false).map(|pause| pause.as_secs())).collect();
    assert_eq!(pauses, [Some(2), Some(4), Some(8), Some(16), None]);
    book.took(report(StintEnd::Boundary, &[]));
    assert_eq!(book.failed(false, false), Some(Duration::from_secs(2)));
}

#[test]
fn a_host_that_is_too_old_is_no_failure() {
    let mut book = book();
    for _ in 0..20 {
        assert_eq!(book.failed(true, true), Some(Duration::from_mins(1)));
    }
    assert!(book.carry.told, "what a person ended stays ended");
}

#[test]
fn a_stop_needs_no_stint_where_none_is_at_work() {
    let mut book = book();
    book.next_stint("k", false);
    book.heard(stop("1"));
    assert!(book.is_useless(), "nobody has taken it up");
    placed(&mut book);
    assert!(!book.is_useless(), "its run can be told");
    book.took(report(StintEnd::Boundary, &[]));
    book.next_stint("k", false);
    assert!(!book.is_useless() && !book.is_stopped_in_wait(), "the stint knows");
    book.took(report(StintEnd::Wait { until_ms: 9 }, &[]));
    assert!(book.is_stopped_in_wait());
    let stopped = book.stopped();
    assert_eq!((stopped.done, stopped.iterations), (1, 4));
    assert!(matches!(stopped.end, StintEnd::Finished { exit: 1, .. }));
}
