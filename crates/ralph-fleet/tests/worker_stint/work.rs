//! Loops from their submission to their end: worked through, handed over, cancelled, stopped.

use std::time::{Duration, Instant};

use ralph_core::input;
use ralph_fleet::{
    wire::{LoopSpec, Times, Wish},
    workflow::looping::LoopRun,
};
use temporalio_client::{WorkflowCancelOptions, WorkflowSignalOptions};

use crate::{DONE, STOPPED, eventually::eventually, fleet::Fleet, site::Site};

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_is_worked_through_on_two_hosts() {
    let site = Site::new(3);
    let mut fleet = Fleet::new("plan").await;
    fleet.brain();
    fleet.hands(&site, "a");
    fleet.hands(&site, "b");
    let own = fleet.submit(site.spec.clone()).await;
    let end = fleet.end(&own).await;
    assert_eq!((end.outcome.as_str(), end.exit, end.done, end.tasks), (DONE, 0, 3, 3));
    let said = fleet.said.lock().unwrap().clone();
    let has =
        |parts: [&str; 2]| said.iter().any(|line| parts.iter().all(|part| line.contains(part)));
    assert!(has(["stint 1 of loop/plan/ralph/app starts", ""]), "{said:?}");
    assert!(has(["stint 1 of loop/plan/ralph/app ended after", "1 of 3 tasks"]), "{said:?}");
    assert!(has(["3 of 3 tasks done; finished: everything is done (exit 0)", ""]), "{said:?}");
    assert_eq!(site.started().len(), 3, "one call for each task");
    assert_eq!(site.work_on_branch().len(), 4);
    assert_eq!(site.lease()["held"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drained_worker_hands_over_and_another_goes_on() {
    let site = Site::new(2);
    site.hold("T-1");
    let mut fleet = Fleet::new("drain").await;
    fleet.brain();
    let leaver = fleet.hands(&site, "a");
    let own = fleet.submit(site.spec.clone()).await;
    eventually("an agent", async || site.started().first().cloned()).await;
    fleet.hands(&site, "b");
    fleet.drain(leaver).await;
    site.release("T-1");
    let end = fleet.end(&own).await;
    assert_eq!((end.outcome.as_str(), end.done), (DONE, 2));
    let hosts: Vec<String> = site.started().into_iter().map(|(_, host)| host).collect();
    assert_eq!(hosts, ["drain-a", "drain-b", "drain-b"], "one call was interrupted");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_loop_ends_its_agent_at_once() {
    let site = Site::new(1);
    site.hold("T-1");
    let mut fleet = Fleet::new("cancel").await;
    fleet.brain();
    fleet.hands(&site, "a");
    // A heartbeat would bring it only after 24 s.
    let spec = site.spec.clone();
    let own = fleet.submit(LoopSpec { times: Times::default(), ..spec }).await;
    eventually("an agent", async || site.started().first().cloned()).await;
    let began = Instant::now();
    own.cancel(WorkflowCancelOptions::builder().reason("asked").build()).await.unwrap();
    let end = fleet.end(&own).await;
    assert!(began.elapsed() < Duration::from_secs(12), "{:?}", began.elapsed());
    assert_eq!((end.outcome.as_str(), end.exit), (STOPPED, 1));
    assert_eq!(site.lease()["held"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_reaches_the_run_that_is_under_way() {
    let site = Site::new(2);
    site.hold("T-1");
    let mut fleet = Fleet::new("stop").await;
    fleet.brain();
    fleet.hands(&site, "a");
    let own = fleet.submit(site.spec.clone()).await;
    eventually("an agent", async || site.started().first().cloned()).await;
    let stop = Wish { id: "0000000000001-1-000000.json".into(), wish: input::Wish::Stop };
    own.signal(LoopRun::wish, stop, WorkflowSignalOptions::default()).await.unwrap();
    site.release("T-1");
    let end = fleet.end(&own).await;
    assert_eq!((end.outcome.as_str(), end.exit, end.done), (STOPPED, 1, 1));
}
