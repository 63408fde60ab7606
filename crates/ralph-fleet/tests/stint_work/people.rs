//! People push to the run branch, break the plan, or have to decide: the run follows, or says what it needs.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
};

use ralph_core::input;
use ralph_fleet::{
    stint::Line,
    truth::{SeedError, SeedFiles, seed},
    wire::{StintEnd, StintInput, Wish},
};

use crate::{
    remote::git,
    site::{BRANCH, Site, rank, until},
};

const BRANCH_REF: &str = "refs/heads/ralph/app";

/// A person's clone of the remote.
fn clone(site: &Site) -> PathBuf {
    let dir = site.path().join("person");
    git(site.path(), &["clone", "-q", &site.remote.url(), &dir.to_string_lossy()]);
    dir
}

fn commit(clone: &Path, name: &str) {
    fs::write(clone.join(name), "a person's\n").unwrap();
    git(clone, &["add", "-A"]);
    git(clone, &["commit", "-qm", name]);
}

#[test]
fn a_push_between_stints_that_has_our_work_is_followed() {
    let site = Site::new(2);
    let host = site.host("a");
    site.work(&host, 1).unwrap();
    let person = clone(&site);
    git(&person, &["checkout", "-q", BRANCH]);
    commit(&person, "note.txt");
    git(&person, &["push", "-q", "origin", BRANCH]);
    let mut report = site.work(&host, 2).unwrap();
    assert!(!report.warm);
    if report.end == StintEnd::Boundary {
        report = site.work(&host, 3).unwrap();
    }
    assert!(matches!(report.end, StintEnd::Finished { exit: 0, .. }), "{report:?}");
    let subjects: Vec<String> =
        site.work_on_branch().into_iter().map(|(subject, _)| subject).collect();
    assert_eq!(subjects.len(), 4, "{subjects:?}");
    assert_eq!(subjects[2], "note.txt");
}

#[test]
fn a_push_beside_our_work_keeps_both_and_waits_for_a_person() {
    let mut site = Site::new(2);
    site.spec.limits.iterations_per_stint = 10;
    site.hold("T-2");
    let (host, line) = (site.host("a"), Line::new("a"));
    let person = clone(&site);
    let theirs = thread::scope(|scope| {
        let stint = scope.spawn(|| host.work(&site.input(), rank(1), &line, None));
        site.wait_for("start", "T-2", "a");
        // The work on T-1 may still be on its way; a push that raced with it would be refused.
        until("the first task's commit", || {
            let known = git(&site.remote.dir, &["for-each-ref", BRANCH_REF]);
            (!known.is_empty() && site.work_on_branch().len() == 2).then_some(())
        });
        git(&person, &["fetch", "-q"]);
        git(&person, &["checkout", "-q", BRANCH]);
        commit(&person, "note.txt");
        git(&person, &["push", "-q", "origin", BRANCH]);
        site.release("T-2");
        stint.join().unwrap().unwrap();
        git(&person, &["rev-parse", "HEAD"])
    });
    assert_eq!(git(&site.remote.dir, &["rev-parse", BRANCH]), theirs, "the person's work is gone");
    let refs = git(&site.remote.dir, &["for-each-ref", "--format=%(refname)", "refs/ralph"]);
    let kept = refs.lines().find(|name| name.contains("/kept/")).unwrap();
    assert!(kept.ends_with("/kept/2/heads/ralph/app"), "{kept}");
    assert_eq!(site.lease()["held"], false);

    let report = site.work(&host, 2).unwrap();
    assert!(
        matches!(&report.end, StintEnd::NeedsPerson { why } if why.contains(BRANCH)),
        "{report:?}"
    );
    assert_eq!(site.lease()["held"], false);

    git(&person, &["fetch", "-q", "origin", &format!("{kept}:kept")]);
    git(&person, &["merge", "-q", "-m", "both", "kept"]);
    git(&person, &["push", "-q", "origin", BRANCH]);
    let report = site.work(&host, 3).unwrap();
    assert!(matches!(report.end, StintEnd::Finished { exit: 0, .. }), "{report:?}");
    let files = git(&site.remote.dir, &["ls-tree", "-r", "--name-only", BRANCH]);
    for name in ["note.txt", "out/T-1.txt", "out/T-2.txt"] {
        assert!(files.lines().any(|file| file == name), "{name} in {files}");
    }
    assert_eq!(site.started().len(), 2);
}

#[test]
fn a_broken_plan_is_a_report_and_not_a_failure() {
    let site = Site::new(1);
    let files = SeedFiles { plan: b"{ no plan".to_vec(), ..SeedFiles::default() };
    seed(&site.remote.url(), BRANCH, &files).unwrap();
    let report = site.work(&site.host("a"), 1).unwrap();
    let StintEnd::Finished { exit, outcome } = report.end else { panic!("{report:?}") };
    assert_eq!(exit, 2, "{outcome}");
    assert!(outcome.contains("plan"), "{outcome}");
    assert_eq!(site.lease()["held"], false);
}

#[test]
fn a_held_branch_is_not_seeded() {
    let site = Site::new(1);
    site.hold("T-1");
    let host = site.host("a");
    thread::scope(|scope| {
        let stint = scope.spawn(|| site.work(&host, 1));
        site.wait_for("start", "T-1", "a");
        let refused = seed(&site.remote.url(), BRANCH, &SeedFiles::default());
        assert!(matches!(refused, Err(SeedError::Held { .. })), "{refused:?}");
        site.release("T-1");
        stint.join().unwrap().unwrap();
    });
}

#[test]
fn a_plan_that_a_branch_has_done_is_worked_through_again_only_if_asked() {
    let site = Site::new(1);
    let report = site.work(&site.host("a"), 1).unwrap();
    assert!(matches!(report.end, StintEnd::Finished { exit: 0, .. }), "{report:?}");
    let before = site.lease();
    let files = site.files(&[1]);
    let refused = seed(&site.remote.url(), BRANCH, &files);
    assert!(matches!(refused, Err(SeedError::Done)), "{refused:?}");
    assert_eq!(site.lease(), before, "nothing was touched");
    let seeded = seed(&site.remote.url(), BRANCH, &SeedFiles { again: true, ..files }).unwrap();
    assert_eq!(seeded.run, None, "it is another run");
}

#[test]
fn a_branch_whose_loop_has_ended_takes_another_plan() {
    let mut site = Site::new(1);
    site.spec.limits.iterations_per_stint = 10;
    let first = site.work(&site.host("a"), 1).unwrap();
    assert!(matches!(first.end, StintEnd::Finished { exit: 0, .. }), "{first:?}");
    let run = site.lease()["run"].clone();
    site.seed(BRANCH, &[4, 5]);
    let second = site.work(&site.host("b"), 2).unwrap();
    assert!(matches!(second.end, StintEnd::Finished { exit: 0, .. }), "{second:?}");
    assert_eq!((second.done, second.tasks), (2, 2));
    assert_ne!(site.lease()["run"], run);
    let again = site.work(&site.host("a"), 3).unwrap();
    assert_eq!((again.end, again.done), (second.end, 2), "a stint that is repeated says it again");
    let files = git(&site.remote.dir, &["ls-tree", "-r", "--name-only", BRANCH]);
    for name in ["out/T-1.txt", "out/T-4.txt", "out/T-5.txt"] {
        assert!(files.lines().any(|file| file == name), "{name} in {files}");
    }
}

#[test]
fn what_a_person_must_answer_waits_without_a_process_and_goes_on_elsewhere() {
    let mut site = Site::new(2);
    site.spec.limits.iterations_per_stint = 10;
    site.hold("T-1");
    let (host, line) = (site.host("a"), Line::new("a"));
    let pause =
        Wish { id: "0000000000001-1-000000".into(), wish: input::Wish::Pause { now: false } };
    thread::scope(|scope| {
        let stint = scope.spawn(|| host.work(&site.input(), rank(1), &line, None));
        site.wait_for("alive", "T-1", "a");
        assert!(host.deliver(&site.input().key, &pause).unwrap());
        site.release("T-1");
        let report = stint.join().unwrap().unwrap();
        assert!(matches!(report.end, StintEnd::NeedsPerson { .. }), "{report:?}");
        assert_eq!((report.done, report.tasks), (1, 2));
    });
    let resume = Wish { id: "0000000000002-1-000000".into(), wish: input::Wish::Resume };
    let input = StintInput { wishes: vec![resume], by_person: true, ..site.input() };
    let other = site.host("b");
    let report = other.work(&input, rank(2), &Line::new("b"), None).unwrap();
    assert!(matches!(report.end, StintEnd::Finished { exit: 0, .. }), "{report:?}");
    assert_eq!((report.done, report.iterations), (2, 2));
    assert_eq!(report.delivered, ["0000000000002-1-000000"]);
}
