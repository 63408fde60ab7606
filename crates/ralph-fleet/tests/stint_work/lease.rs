//! What a holder does when it is cut off, overtaken or asked to leave; what it does when the remote is away.

use std::{
    thread,
    time::{Duration, Instant},
};

use ralph_core::input;
use ralph_fleet::{
    stint::{Line, Lost},
    wire::{StintEnd, Wish},
};

use crate::{
    remote::git,
    site::{Site, TRUTH, rank, until, within},
};

/// A site whose stints go on to the end.
fn site(tasks: u32) -> Site {
    let mut site = Site::new(tasks);
    site.spec.limits.iterations_per_stint = 10;
    site
}

#[test]
fn an_overtaken_holder_that_is_out_of_touch_ends_its_agent_before_another_begins() {
    overtaken(|line| line.lost(Instant::now()));
}

#[test]
fn an_overtaken_holder_that_the_server_gave_up_ends_its_agent_before_another_begins() {
    overtaken(|line| line.counted_on(false));
}

fn overtaken(what_it_knows: impl Fn(&Line)) {
    let site = site(1);
    site.hold("T-1");
    let (a, b, line) = (site.host("a"), site.host("b"), Line::new("a"));
    thread::scope(|scope| {
        let first = scope.spawn(|| a.work(&site.input(), rank(1), &line, None));
        site.wait_for("alive", "T-1", "a");
        what_it_knows(&line);
        let second = scope.spawn(|| site.work(&b, 2));
        assert!(matches!(first.join().unwrap(), Err(Lost::Fenced(_))));
        site.wait_for("start", "T-1", "b");
        site.release("T-1");
        let report = second.join().unwrap().unwrap();
        assert!(report.took_over);
        assert_eq!(report.done, 1);
    });
    let calls = site.calls();
    let last = calls.iter().rfind(|call| call.host == "a").unwrap().at;
    let first = calls.iter().find(|call| call.host == "b").unwrap().at;
    assert!(last < first, "two agents at once");
    assert_eq!(site.work_on_branch().len(), 2);
}

#[test]
fn an_overtaken_holder_that_thinks_all_is_well_is_refused_and_leaves_the_branch_alone() {
    let site = site(1);
    site.hold("T-1");
    let (a, b) = (site.host("a"), site.host("b"));
    thread::scope(|scope| {
        let first = scope.spawn(|| site.work(&a, 1));
        site.wait_for("alive", "T-1", "a");
        let mut spec = site.input();
        // Somebody else's claim, without any work.
        spec.spec.times.grace_ms = 4_000;
        let line = Line::new("b");
        let second = scope.spawn({
            let (b, line) = (&b, line.clone());
            move || b.work(&spec, rank(2), &line, None)
        });
        until("the claim", || (line.progress().phase == "taking over").then_some(()));
        line.ask_to_leave();
        site.release("T-1");
        assert!(matches!(first.join().unwrap(), Err(Lost::Fenced(_))));
        // Whoever came after it would not wait.
        assert!(site.lease()["held"] == true && !second.is_finished(), "given back too soon");
        assert_eq!(second.join().unwrap().unwrap().end, StintEnd::Boundary);
    });
    assert_eq!(site.lease()["held"], false);
    let work = git(&site.remote.dir, &["rev-list", "--branches", "^main"]);
    assert_eq!(work, "", "the branch was touched");
}

#[test]
fn an_overtaken_holder_that_is_in_touch_looks_now_and_then_and_ends_its_agent() {
    let mut site = site(1);
    site.spec.times.heartbeat_ms = 500;
    site.hold("T-1");
    let a = site.host("a");
    thread::scope(|scope| {
        let first = scope.spawn(|| site.work(&a, 1));
        site.wait_for("alive", "T-1", "a");
        let times = site.spec.times;
        // Two looks of its own come first: the lease is its own all the while.
        let quiet = Duration::from_millis(10 * times.heartbeat_ms + 2 * times.look_ms);
        let is_ended_too_soon = within(quiet, || first.is_finished());
        git(&site.remote.dir, &["update-ref", TRUTH, "main"]);
        let longest = 5 * times.heartbeat_ms + times.look_ms + times.kill_ms + 1_000;
        let is_ended = within(Duration::from_millis(longest), || first.is_finished());
        site.release("T-1");
        assert!(is_ended && !is_ended_too_soon);
        assert!(matches!(first.join().unwrap(), Err(Lost::Fenced(_))));
        assert_eq!(site.agents_alive(), 0);
    });
}

#[test]
fn a_claim_that_comes_earlier_by_the_servers_word_gives_up() {
    let site = site(1);
    site.hold("T-1");
    let (a, b) = (site.host("a"), site.host("b"));
    thread::scope(|scope| {
        let first = scope.spawn(|| site.work(&a, 5));
        site.wait_for("start", "T-1", "a");
        assert!(matches!(site.work(&b, 4), Err(Lost::Fenced(_))));
        site.release("T-1");
        assert_eq!(first.join().unwrap().unwrap().done, 1);
    });
}

#[test]
fn cut_off_from_server_and_remote_a_holder_ends_its_agent() {
    let site = site(1);
    site.hold("T-1");
    let (a, line) = (site.host("a"), Line::new("a"));
    let agents = || -> Vec<String> {
        let calls = site.calls().into_iter().filter(|call| call.what != "gate");
        calls.map(|call| call.host).collect()
    };
    thread::scope(|scope| {
        let first = scope.spawn(|| a.work(&site.input(), rank(1), &line, None));
        site.wait_for("alive", "T-1", "a");
        site.remote.leave();
        line.lost(Instant::now());
        assert!(matches!(first.join().unwrap(), Err(Lost::CutOff)));
        assert_eq!(site.agents_alive(), 0);
    });
    let ended = agents().len();
    site.remote.come_back();
    site.release("T-1");
    let report = site.work(&site.host("b"), 2).unwrap();
    assert_eq!((report.done, report.took_over), (1, true));
    assert!(agents().iter().skip(ended).all(|host| host == "b"), "{:?}", agents());
}

#[test]
fn out_of_touch_with_the_server_alone_a_holder_goes_on() {
    let site = site(1);
    site.hold("T-1");
    let (a, line) = (site.host("a"), Line::new("a"));
    thread::scope(|scope| {
        let first = scope.spawn(|| a.work(&site.input(), rank(1), &line, None));
        let began = site.wait_for("alive", "T-1", "a").at;
        line.lost(Instant::now());
        let silence = u128::from(site.spec.times.silence_ms) * 2_000_000;
        until("twice the silence", || {
            site.calls().into_iter().find(|call| call.what == "alive" && call.at > began + silence)
        });
        site.release("T-1");
        assert_eq!(first.join().unwrap().unwrap().done, 1);
    });
}

#[test]
fn a_remote_that_is_away_for_a_while_loses_nothing() {
    let site = site(2);
    site.hold("T-2");
    let (a, line) = (site.host("a"), Line::new("a"));
    thread::scope(|scope| {
        let first = scope.spawn(|| a.work(&site.input(), rank(1), &line, None));
        site.wait_for("start", "T-2", "a");
        site.remote.leave();
        site.release("T-2");
        until("the end of the work", || {
            (line.progress().phase == "waiting for the remote").then_some(())
        });
        assert!(line.publishing().failed > 0);
        site.remote.come_back();
        let report = first.join().unwrap().unwrap();
        assert_eq!((report.done, report.iterations), (2, 2));
    });
    assert_eq!(site.work_on_branch().len(), 3);
    assert_eq!(site.started().len(), 2);
}

#[test]
fn a_stint_that_is_asked_to_leave_hands_over_and_another_goes_on() {
    let site = site(1);
    site.hold("T-1");
    let (a, b, line) = (site.host("a"), site.host("b"), Line::new("a"));
    thread::scope(|scope| {
        let first = scope.spawn(|| a.work(&site.input(), rank(1), &line, None));
        site.wait_for("alive", "T-1", "a");
        line.ask_to_leave();
        let report = first.join().unwrap().unwrap();
        assert_eq!((report.end, report.done), (StintEnd::Boundary, 0));
    });
    assert_eq!(site.lease()["held"], false);
    site.release("T-1");
    let report = site.work(&b, 2).unwrap();
    assert_eq!((report.done, report.iterations, report.took_over), (1, 1, false));
}

#[test]
fn a_wish_reaches_the_run_and_the_truth() {
    let site = site(2);
    site.hold("T-1");
    let (a, line) = (site.host("a"), Line::new("a"));
    let key = site.input().key;
    let steer = input::Wish::Steer { task: None, text: "STEERWORD".into(), now: false };
    let wish = Wish { id: "0000000000001-1-000000".into(), wish: steer };
    assert!(!a.deliver(&key, &wish).unwrap(), "nothing runs here yet");
    thread::scope(|scope| {
        let first = scope.spawn(|| a.work(&site.input(), rank(1), &line, None));
        site.wait_for("alive", "T-1", "a");
        assert!(a.deliver(&key, &wish).unwrap());
        let journal = site.remote.file(TRUTH, "journal/000000.jsonl");
        let inbox = site.remote.file(TRUTH, "published.json");
        assert!(journal.contains("STEERWORD") || inbox.contains(&wish.id), "the truth lacks it");
        let stop = Wish { id: "0000000000002-1-000000".into(), wish: input::Wish::StopNow };
        assert!(a.deliver(&key, &stop).unwrap());
        let report = first.join().unwrap().unwrap();
        assert!(matches!(report.end, StintEnd::Finished { exit: 1, .. }), "{report:?}");
        assert_eq!(report.delivered, [wish.id.clone(), stop.id]);
    });
    let journal = site.remote.file(TRUTH, "journal/000000.jsonl");
    assert!(journal.contains("STEERWORD"));
    assert!(!a.deliver(&key, &wish).unwrap(), "nothing runs here any more");
}

#[test]
fn a_truth_of_a_newer_version_is_for_another_host() {
    let site = site(1);
    let mut new = site.host("new");
    new.version = "99.0.0".into();
    assert_eq!(site.work(&new, 1).unwrap().done, 1);
    assert!(matches!(site.work(&site.host("old"), 2), Err(Lost::Refused(_))));
}

#[test]
fn two_loops_of_one_repository_work_on_one_host_at_once() {
    let site = site(2);
    site.seed("ralph/other", &[1, 2]);
    let mut other = site.input();
    other.spec.branch = "ralph/other".into();
    other.key = "loop/other".into();
    let host = site.host("a");
    site.hold("T-1");
    thread::scope(|scope| {
        let stints = [site.input(), other].map(|input| {
            let host = &host;
            scope.spawn(move || host.work(&input, rank(1), &Line::new("a"), None))
        });
        until("both agents", || {
            (site.started().iter().filter(|(task, _)| task == "T-1").count() == 2).then_some(())
        });
        site.release("T-1");
        for stint in stints {
            let report = stint.join().unwrap().unwrap();
            assert!(matches!(report.end, StintEnd::Finished { exit: 0, .. }), "{report:?}");
        }
    });
    for branch in ["ralph/app", "ralph/other"] {
        let count = git(&site.remote.dir, &["rev-list", "--count", branch]);
        assert_eq!(count, "3", "{branch}");
    }
}
