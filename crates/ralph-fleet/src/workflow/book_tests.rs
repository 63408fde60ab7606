//! Tests of what a loop remembers.

use ralph_core::plan::person::TaskWish;

use super::*;
use crate::wire::{Ask, Limits, Times};

fn book() -> Book {
    let spec = LoopSpec {
        repo: "https://git.example/a.git".into(),
        branch: "ralph/a".into(),
        tenant: "team".into(),
        account: "main".into(),
        submission: String::new(),
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
        asks: Vec::new(),
        idle: false,
        kept: Vec::new(),
        weaker: Vec::new(),
    }
}

fn why() -> String {
    "why".to_owned()
}

fn placed(book: &mut Book) {
    assert!(book.placed(Placed { stint: book.carry.stints, queue: "host:h".into() }));
}

#[test]
fn a_wish_goes_with_every_stint_until_a_report_names_it() {
    let mut book = book();
    book.heard(wish("1"));
    book.heard(wish("1"));
    assert_eq!(book.next_stint("k").wishes, [wish("1")]);
    assert!(book.failed(Miss::Failed, why()).is_some());
    assert_eq!(book.next_stint("k").wishes, [wish("1")]);
    book.took(report(StintEnd::Boundary, &[]));
    assert_eq!(book.next_stint("k").wishes, [wish("1")]);
    book.took(report(StintEnd::Boundary, &["1"]));
    assert!(book.next_stint("k").wishes.is_empty());
}

#[test]
fn what_comes_later_is_sent_once_to_where_the_stint_is() {
    let mut book = book();
    book.heard(wish("1"));
    book.next_stint("k");
    book.heard(wish("2"));
    assert_eq!(book.unsent(), None, "nobody knows where the stint is");
    placed(&mut book);
    assert_eq!(book.unsent(), Some(&wish("2")));
    book.sent("2");
    assert_eq!(book.unsent(), None);
    book.took(report(StintEnd::Boundary, &["1"]));
    assert_eq!(book.next_stint("k").wishes, [wish("2")], "sent is not delivered");
}

#[test]
fn only_what_the_stint_was_not_given_ends_the_wait_after_it() {
    let mut book = book();
    book.heard(wish("1"));
    book.next_stint("k");
    book.took(report(StintEnd::NeedsPerson { why: "?".into() }, &[]));
    assert!(!book.carry.told, "it was given, so handing it out again would change nothing");
    book.heard(wish("2"));
    assert!(book.carry.told);
    book.next_stint("k");
    placed(&mut book);
    book.heard(wish("3"));
    book.sent("3");
    book.took(report(StintEnd::NeedsPerson { why: "?".into() }, &["1", "2"]));
    assert!(book.carry.told, "it may have come after the last look at the inbox");
    book.next_stint("k");
    book.took(report(StintEnd::NeedsPerson { why: "?".into() }, &["3"]));
    assert!(!book.carry.told);
}

fn asks(task: &str) -> Ask {
    Ask { task: task.into(), question: Some("Which colour?".into()), ..Ask::default() }
}

fn answer(task: &str) -> Wish {
    let change = TaskWish::Answer { id: task.into(), text: "blue".into() };
    Wish { id: "1".into(), wish: input::Wish::Task { change } }
}

/// A loop that waits for answers to these.
fn waiting_for(asks: Vec<Ask>) -> Book {
    let mut book = book();
    book.next_stint("k");
    book.took(StintReport {
        asks,
        ..report(StintEnd::NeedsPerson { why: "2 parked".into() }, &[])
    });
    book.waiting = Some("2 parked".into());
    book
}

#[test]
fn only_a_task_that_waits_is_answered() {
    let mut book = waiting_for(vec![asks("T-2"), asks("T-4")]);
    assert_eq!(book.refuses(&answer("T-2")), None);
    let why = book.refuses(&answer("T-3")).unwrap();
    assert!(why.ends_with("person: T-2, T-4"), "{why}");
    assert_eq!(book.refuses(&wish("1")), None, "a word that is about no task is always of use");
    book.heard(answer("T-2"));
    book.next_stint("k");
    assert!(book.refuses(&answer("T-2")).unwrap().contains("decided already"));
    assert_eq!(book.refuses(&answer("T-4")), None, "the other one still waits");
    book.took(report(StintEnd::Boundary, &["1"]));
    assert!(book.refuses(&answer("T-4")).unwrap().contains("no task"));
}

#[test]
fn a_task_is_answered_while_others_are_worked_on() {
    let mut book = book();
    book.next_stint("k");
    book.took(StintReport { asks: vec![asks("T-2")], ..report(StintEnd::Boundary, &[]) });
    book.next_stint("k");
    placed(&mut book);
    assert_eq!(book.refuses(&answer("T-2")), None);
    assert_eq!(book.refuses(&answer("T-3")), None, "it may have asked since");
    book.heard(answer("T-2"));
    assert!(book.refuses(&answer("T-2")).unwrap().contains("decided already"));
    assert_eq!(book.unsent(), Some(&answer("T-2")), "it goes to where the stint is");
    book.sent("1");
    assert_eq!(book.refuses(&answer("T-2")), None, "it may ask again");
}

#[test]
fn a_task_takes_the_decisions_that_its_run_can_use() {
    let given_up = Ask { failed: true, question: None, ..asks("T-3") };
    let parked =
        Ask { question: None, why: Some("the reviewer wants changes".into()), ..asks("T-4") };
    let mut many = vec![asks("T-9"); MOST_ASKS];
    many.push(given_up.clone());
    let list = waiting_for(vec![asks("T-2"), given_up, parked]);
    let taken = |book: &Book, task: &str| {
        let id = || task.into();
        let all = [
            TaskWish::Answer { id: id(), text: "blue".into() },
            TaskWish::Approve { id: id() },
            TaskWish::Retry { id: id() },
            TaskWish::Skip { id: id(), why: String::new() },
        ];
        all.map(|change| {
            let wish = Wish { id: "1".into(), wish: input::Wish::Task { change } };
            book.refuses(&wish).is_none()
        })
    };
    assert_eq!(taken(&list, "T-2"), [true; 4]);
    assert_eq!(taken(&list, "T-3"), [false, false, true, true]);
    assert_eq!(taken(&list, "T-4"), [true; 4]);
    assert_eq!(taken(&waiting_for(many), "T-3"), [false, false, true, true]);
    assert_eq!(list.refuses(&answer("T-3")).unwrap(), "T-3 was given up: retry or skip it");
}

#[test]
fn any_task_is_answered_where_not_all_that_wait_are_known() {
    for known in [Vec::new(), vec![asks("T-2"); MOST_ASKS]] {
        assert_eq!(waiting_for(known).refuses(&answer("T-99")), None);
    }
}

#[test]
fn a_stint_that_was_not_begun_leaves_no_question_behind() {
    let mut book = waiting_for(vec![asks("T-2")]);
    book.next_stint("k");
    let end = StintEnd::NeedsPerson { why: "no budget".into() };
    book.took(StintReport { truth: String::new(), idle: true, ..report(end, &[]) });
    assert!(book.carry.last.is_some_and(|last| last.asks.is_empty() && last.done == 1));
}

#[test]
fn a_stint_that_came_to_nothing_leaves_what_waits_for_a_person_waiting() {
    for truth in ["", "0b"] {
        let mut book = waiting_for(vec![asks("T-2"), asks("T-4")]);
        let weaker = vec!["skipped: T-1".to_owned()];
        book.carry.last.as_mut().unwrap().weaker.clone_from(&weaker);
        book.heard(answer("T-2"));
        book.next_stint("k");
        let rest = report(StintEnd::Wait { until_ms: 9 }, &[]);
        book.took(StintReport { truth: truth.into(), idle: true, ..rest });
        assert_eq!(book.refuses(&answer("T-4")), None);
        assert!(book.refuses(&answer("T-2")).is_some(), "it was answered");
        assert_eq!(book.end(String::new(), 0).weaker, weaker);
    }
}

#[test]
fn what_a_run_had_cost_before_is_not_forgotten_by_a_stint_that_was_not_begun() {
    let mut book = book();
    (book.carry.iterations_before, book.carry.cost_before_micro_usd) = (7, 30);
    book.took(StintReport::idle(StintEnd::Boundary, "h"));
    let next = book.next_stint("k");
    assert_eq!((next.iterations, next.spent_micro_usd), (7, 30));
    book.took(report(StintEnd::Boundary, &[]));
    let next = book.next_stint("k");
    assert_eq!(
        (next.iterations, next.spent_micro_usd),
        (4, 5),
        "from now on it is the run's own word"
    );
}

#[test]
fn a_loop_that_stops_after_a_lost_host_says_that_it_may_be_at_work() {
    let mut book = book();
    book.lost_sight();
    // What was not begun held no branch, and fenced nobody.
    book.took(StintReport::idle(StintEnd::Boundary, "h"));
    book.heard(stop("1"));
    let StintEnd::Finished { outcome, .. } = book.stopped().end else { panic!() };
    assert!(outcome.contains("may still be working"), "{outcome}");
    book.took(report(StintEnd::Boundary, &[]));
    let StintEnd::Finished { outcome, .. } = book.stopped().end else { panic!() };
    assert_eq!(outcome, "stopped on request, before its next stint");
}

#[test]
fn a_stint_that_is_over_is_nowhere() {
    let mut book = book();
    book.next_stint("k");
    book.next_stint("k");
    assert!(!book.placed(Placed { stint: 1, queue: "host:old".into() }));
    assert_eq!(book.place, None);
}

#[test]
fn a_stint_that_was_not_begun_tells_only_how_to_go_on() {
    let mut book = book();
    book.next_stint("k");
    book.took(report(StintEnd::Boundary, &[]));
    book.next_stint("k");
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
        (0..5).map(|_| book.failed(Miss::Failed, why()).map(|pause| pause.as_secs())).collect();
    assert_eq!(pauses, [Some(2), Some(4), Some(8), Some(16), None]);
    book.took(report(StintEnd::Boundary, &[]));
    assert_eq!(book.failed(Miss::Failed, why()), Some(Duration::from_secs(2)));
}

#[test]
fn hosts_that_die_end_a_loop_later_than_stints_that_fail() {
    let mut book = book();
    let lost = (0..15).map(|_| book.failed(Miss::Lost, why())).take_while(Option::is_some).count();
    assert_eq!(lost, 14);
    assert_eq!(book.status().failures, 15);
    book.took(report(StintEnd::Boundary, &[]));
    assert_eq!(book.in_a_row(), 0);
    // Among dying hosts a failure that is said counts as ever.
    for _ in 0..4 {
        assert!(book.failed(Miss::Lost, why()).is_some());
        assert!(book.failed(Miss::Failed, why()).is_some());
    }
    assert_eq!(book.failed(Miss::Failed, why()), None);
}

#[test]
fn what_a_person_let_go_on_goes_on_as_such_until_a_report() {
    let mut book = book();
    book.carry = Carry { by_person: true, iterations_before: 3, ..Carry::default() };
    for _ in 0..2 {
        let input = book.next_stint("k");
        assert_eq!((input.by_person, input.iterations), (true, 3));
        assert!(book.failed(Miss::Lost, why()).is_some());
    }
    book.took(report(StintEnd::Boundary, &[]));
    let input = book.next_stint("k");
    assert_eq!((input.by_person, input.iterations), (false, 4));
    assert_eq!(book.status().trouble, None);
}

#[test]
fn what_a_person_said_is_still_a_persons_after_a_stint_that_did_nothing() {
    let mut book = book();
    book.carry.by_person = true;
    book.next_stint("k");
    book.took(StintReport { idle: true, ..report(StintEnd::Wait { until_ms: 9 }, &[]) });
    assert!(book.next_stint("k").by_person);
}

fn steer(id: &str) -> Wish {
    let wish = input::Wish::Steer { task: None, text: "be brief".into(), now: false };
    Wish { id: id.into(), wish }
}

#[test]
fn a_pause_lasts_until_somebody_ends_it() {
    let paused = || report(StintEnd::NeedsPerson { why: PAUSED.into() }, &[]);
    for (end, goes_on) in [(wish("2"), true), (stop("2"), true), (steer("2"), false)] {
        let mut book = book();
        book.next_stint("k");
        book.heard(steer("1"));
        book.took(paused());
        assert!(!book.carry.told, "a message is for the next call");
        book.heard(end.clone());
        assert_eq!(book.carry.told, goes_on, "{end:?}");
        // The same if it came too late for the stint.
        book.next_stint("k");
        book.heard(Wish { id: "3".into(), ..end });
        book.took(paused());
        assert_eq!(book.carry.told, goes_on);
    }
}

#[test]
fn a_host_that_is_too_old_is_no_failure() {
    let mut book = book();
    book.carry.by_person = true;
    for _ in 0..20 {
        assert_eq!(book.failed(Miss::Refused, why()), Some(Duration::from_mins(1)));
    }
    assert!(book.status().trouble.is_some());
    assert!(book.carry.told, "what a person ended stays ended");
}

#[test]
fn a_stop_needs_no_stint_where_none_is_at_work() {
    let mut book = book();
    book.next_stint("k");
    book.heard(stop("1"));
    assert!(book.is_useless(), "nobody has taken it up");
    placed(&mut book);
    assert!(!book.is_useless(), "its run can be told");
    book.took(report(StintEnd::Boundary, &[]));
    assert!(book.is_stopped(), "its run did not take it");
    book.next_stint("k");
    assert!(!book.is_useless(), "the stint knows");
    book.took(report(StintEnd::NeedsPerson { why: "?".into() }, &[]));
    assert!(book.is_stopped(), "it was given, and nobody took it");
    book.took(report(StintEnd::NeedsPerson { why: "?".into() }, &["1"]));
    assert!(!book.is_stopped());
    book.took(book.stopped());
    let last = book.carry.last.unwrap();
    assert_eq!((last.done, last.iterations), (1, 4));
    assert!(matches!(last.end, StintEnd::Finished { exit: 1, .. }));
}

#[test]
fn what_hosts_keep_for_a_person_is_told_of_until_it_is_taken_away() {
    let mut book = book();
    let kept = |host: &str, places: &[&str]| StintReport {
        host: host.into(),
        kept: places.iter().map(|place| (*place).to_owned()).collect(),
        ..report(StintEnd::Boundary, &[])
    };
    book.took(kept("a", &["/a/kept-3"]));
    book.took(kept("b", &[]));
    book.took(StintReport::idle(StintEnd::Boundary, "a"));
    let told = [("a".to_owned(), vec!["/a/kept-3".to_owned()])].into();
    assert_eq!((&book.status().kept, &book.end(String::new(), 0).kept), (&told, &told));
    book.took(kept("a", &[]));
    assert!(book.status().kept.is_empty());
}
