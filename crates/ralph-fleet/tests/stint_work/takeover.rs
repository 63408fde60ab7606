//! A worker that dies takes its agent along; another host goes on, and pays again only for what was under way.

use std::{
    env,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use ralph_fleet::wire::StintEnd;

use crate::site::{Site, TRUTH, until};

fn worker(site: &Site, name: &str) -> Child {
    let host = site.host(name);
    // Cargo builds examples with the tests, beside them.
    let tests = env::current_exe().unwrap();
    Command::new(tests.parent().unwrap().with_file_name("examples").join("one-stint"))
        .env("FLEET_TEST_INPUT", serde_json::to_string(&site.input()).unwrap())
        .env("FLEET_TEST_HOST", &host.name)
        .env("FLEET_TEST_ROOT", &host.root)
        .env("FLEET_TEST_HOME", host.home.unwrap())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("cargo build --example one-stint builds it, and so does cargo test")
}

fn kill(mut worker: Child) {
    worker.kill().unwrap();
    worker.wait().unwrap();
}

/// Stints on another host until the run is over.
fn finish(site: &Site, name: &str) {
    let host = site.host(name);
    for number in 2..20 {
        let report = site.work(&host, number).unwrap();
        assert_eq!(report.took_over, number == 2);
        if let StintEnd::Finished { exit, outcome } = report.end {
            assert_eq!(exit, 0, "{outcome}");
            assert_eq!((report.done, report.iterations), (2, 2));
            return;
        }
    }
    panic!("the run does not end");
}

#[test]
fn a_worker_killed_in_an_agent_call_costs_that_call() {
    let mut site = Site::new(2);
    site.spec.limits.iterations_per_stint = 10;
    site.hold("T-2");
    let worker = worker(&site, "a");
    site.wait_for("alive", "T-2", "a");
    assert_ne!(site.agents_alive(), 0);
    let killed = Instant::now();
    kill(worker);
    until("the agent's end", || (site.agents_alive() == 0).then_some(()));
    println!("agent gone {} ms after its worker was killed", killed.elapsed().as_millis());
    assert!(killed.elapsed() < Duration::from_secs(2));
    site.release("T-2");
    finish(&site, "b");
    let on = |task: &str, host: &str| (task.to_owned(), host.to_owned());
    assert_eq!(site.started(), [on("T-1", "a"), on("T-2", "a"), on("T-2", "b")]);
    assert_eq!(site.work_on_branch().len(), 3);
}

#[test]
fn a_worker_killed_while_gates_judge_costs_no_call() {
    let mut site = Site::new(2);
    site.spec.limits.iterations_per_stint = 10;
    let worker = worker(&site, "a");
    site.wait_for("start", "T-2", "a");
    site.hold("gate");
    let ended = site.wait_for("end", "T-2", "a");
    until("the gate", || {
        site.calls().into_iter().find(|call| call.what == "gate" && call.at > ended.at)
    });
    until("a publication with the tree", || {
        let published = site.remote.file(TRUTH, "published.json");
        let published: serde_json::Value = serde_json::from_str(&published).unwrap();
        let journal = site.remote.file(TRUTH, "journal/000000.jsonl");
        let captured = journal.matches("\"tree_captured\"").count();
        (captured == 2 && !published["trees"].as_array().unwrap().is_empty()).then_some(())
    });
    kill(worker);
    site.release("gate");
    finish(&site, "b");
    let on = |task: &str| (task.to_owned(), "a".to_owned());
    assert_eq!(site.started(), [on("T-1"), on("T-2")]);
    assert_eq!(site.work_on_branch().len(), 3);
}
