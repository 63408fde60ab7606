//! A person gives a branch to another loop, although somebody holds it.

use std::thread;

use ralph_fleet::{
    stint::{Line, Lost},
    truth::{SeedFiles, seed},
};

use crate::site::{BRANCH, Site, rank, until};

#[test]
fn a_holder_that_is_alive_after_all_ends_its_agent_before_the_other_loops_begins() {
    taken_over_on("b");
}

#[test]
fn so_does_one_on_the_very_host_where_the_other_loop_begins() {
    taken_over_on("a");
}

fn taken_over_on(host: &str) {
    let mut site = Site::new(1);
    site.spec.limits.iterations_per_stint = 10;
    // Two inequalities hold as ever: 2500 >= 300 + 1000 and 2500 >= 400 + 1000.
    (site.spec.times.heartbeat_ms, site.spec.times.silence_ms) = (500, 400);
    site.hold("T-1");
    let (a, b) = (site.host("a"), site.host(host));
    let key = "loop/another.address@ralph/app".to_owned();
    thread::scope(|scope| {
        // In touch with its server all the while.
        let first = scope.spawn(|| site.work(&a, 9));
        site.wait_for("alive", "T-1", "a");
        let files = SeedFiles { key: key.clone(), takes_over: true, ..site.files(&[1]) };
        // The holder may publish in between.
        until("the branch is taken", || seed(&site.remote.url(), BRANCH, &files).ok());
        let mut input = site.input();
        input.key.clone_from(&key);
        // The holder has the times that its own loop was submitted with.
        input.spec.times.heartbeat_ms = 50;
        let second = scope.spawn(|| {
            let input = input;
            b.work(&input, rank(1), &Line::new(host), None)
        });
        assert!(matches!(first.join().unwrap(), Err(Lost::Fenced(_))));
        assert_eq!(site.agents_alive(), 0, "two agents at once");
        until("the other agent", || (site.started().len() == 2).then_some(()));
        site.release("T-1");
        let report = second.join().unwrap().unwrap();
        assert!(report.took_over);
        assert_eq!(report.done, 1);
    });
    assert!(matches!(site.work(&a, 99), Err(Lost::Fenced(_))), "the former loop has lost it");
}
