//! A run over many stints and hosts is the run that it would have been on one.

use std::fs;

use ralph_fleet::{stint::Host, wire::StintEnd};

use crate::site::Site;

const TASKS: u32 = 3;

/// Stints on these hosts by turns until the run is over; what the last one said.
fn play(site: &Site, hosts: &[Host]) -> (Vec<StintEnd>, u32, bool) {
    let mut ends = Vec::new();
    for (number, host) in (1..=20).zip(hosts.iter().cycle()) {
        let report = site.work(host, number).unwrap();
        assert!(!report.took_over);
        ends.push(report.end.clone());
        if let StintEnd::Finished { exit, .. } = report.end {
            assert_eq!((exit, report.done, report.tasks), (0, TASKS, TASKS));
            return (ends, report.iterations, report.warm);
        }
    }
    panic!("the run does not end: {ends:?}");
}

#[test]
fn two_hosts_by_turns_do_what_one_run_does() {
    let mut alone = Site::new(TASKS);
    alone.spec.limits.iterations_per_stint = 10;
    let (ends, iterations, _) = play(&alone, &[alone.host("a")]);
    assert_eq!((ends.len(), iterations), (1, TASKS));

    let together = Site::new(TASKS);
    let (ends, iterations, warm) = play(&together, &[together.host("a"), together.host("b")]);
    assert!(ends.len() >= TASKS as usize, "{ends:?}");
    assert_eq!(iterations, TASKS);
    assert!(!warm, "a folder was used again that another host has gone beyond");
    assert_eq!(together.work_on_branch(), alone.work_on_branch());
    assert_eq!(together.started().len(), TASKS as usize);
    assert_eq!(together.lease()["held"], false);
}

#[test]
fn the_same_host_uses_its_folder_again() {
    let site = Site::new(TASKS);
    let host = site.host("a");
    assert!(!site.work(&host, 1).unwrap().warm);
    let second = site.work(&host, 2).unwrap();
    assert!(second.warm);
    assert_eq!((second.done, second.iterations), (2, 2));
}

#[test]
fn a_ralph_that_cannot_begin_forgets_nothing_that_its_run_has_done() {
    let site = Site::new(TASKS);
    let host = site.host("a");
    let before = site.work(&host, 1).unwrap();
    let settings = host.home.as_ref().unwrap().join(".config/ralph/settings.toml");
    fs::write(settings, "[agent").unwrap();
    let after = site.work(&host, 2).unwrap();
    assert!(matches!(after.end, StintEnd::Finished { exit, .. } if exit != 0), "{after:?}");
    assert_eq!((after.done, after.tasks, after.iterations), (1, TASKS, before.iterations));
}
