//! What goes wrong around workers, and what can be seen of them.

use std::{
    fs,
    net::{SocketAddr, TcpListener},
    os::unix::fs::PermissionsExt as _,
    time::{Duration, Instant},
};

use ralph_core::input;
use ralph_fleet::{
    hands::now_ms,
    wire::{LoopSpec, Times, Wish},
    workflow::looping::LoopRun,
};
use temporalio_client::{WorkflowDescribeOptions, WorkflowQueryOptions, WorkflowSignalOptions};
use temporalio_common::protos::temporal::api::workflow::v1::PendingActivityInfo;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::{
    DONE, bridge::Bridge, eventually::eventually, fleet::Fleet, server::Server, site::Site,
};

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_was_out_of_touch_is_asked_and_no_call_is_repeated() {
    let site = Site::new(1);
    site.hold("T-1");
    let bridge = Bridge::to(Server::shared().port()).await;
    let mut fleet = Fleet::new("touch").await;
    fleet.brain();
    fleet.port = bridge.port;
    fleet.hands(&site, "a");
    let times = Times { heartbeat_ms: 4000, ..site.spec.times };
    let own = fleet.submit(LoopSpec { times, ..site.spec.clone() }).await;
    eventually("an agent", async || site.started().first().cloned()).await;
    bridge.cut();
    let cut_at = now_ms();
    eventually("the server gives the stint up", async || {
        let found = own.describe(WorkflowDescribeOptions::default()).await.unwrap();
        let pending = &found.raw().pending_activities;
        let attends = |one: &&_| activity_type(one) == "ralph.attend.v1";
        pending.iter().find(attends).map(|_| ())
    })
    .await;
    assert!(now_ms() - cut_at >= 800, "not before a heartbeat was missed");
    bridge.mend();
    site.release("T-1");
    assert_eq!(fleet.end(&own).await.outcome, DONE);
    assert_eq!(site.started().len(), 1, "its agent was not called again");
    let status = own.query(LoopRun::status, (), WorkflowQueryOptions::default()).await.unwrap();
    assert_eq!((status.stints, status.failures), (1, 0));
}

fn activity_type(of: &PendingActivityInfo) -> &str {
    of.activity_type.as_ref().map_or("", |kind| kind.name.as_str())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_worker_held_is_taken_over_and_one_call_repeated() {
    let site = Site::new(2);
    site.hold("T-1");
    let mut fleet = Fleet::new("killed").await;
    fleet.brain();
    let mut process = fleet.process(&site, "a");
    let own = fleet.submit(site.spec.clone()).await;
    eventually("an agent", async || site.started().first().cloned()).await;
    let (itself, below) = process.memory();
    println!("{itself} MB for the hand, {below} MB below it with one stint");
    assert!(itself <= 64, "{itself} MB");
    let address = free_address();
    fleet.metrics = Some(address);
    fleet.hands(&site, "b");
    process.kill();
    let died = Instant::now();
    eventually("a takeover", async || site.started().get(1).cloned()).await;
    let (times, took) = (&site.spec.times, died.elapsed());
    let least = Duration::from_millis(times.heartbeat_ms + times.grace_ms);
    assert!(took <= least + Duration::from_secs(30), "{took:?}");
    site.release("T-1");
    let end = fleet.end(&own).await;
    assert_eq!((end.outcome.as_str(), end.done), (DONE, 2));
    let hosts: Vec<String> = site.started().into_iter().map(|(_, host)| host).collect();
    assert_eq!(hosts, ["killed-a", "killed-b", "killed-b"]);
    let text = scraped(address).await;
    assert!(text.contains("ralph_takeovers_total{why=\"host\"} 1"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_loop_whose_work_is_refused_pays_no_more_until_a_person_has_seen_to_it() {
    let site = Site::new(1);
    let hook = site.remote.refuse_branches();
    let mut fleet = Fleet::new("refused").await;
    fleet.brain();
    fleet.hands(&site, "a");
    let own = fleet.submit(site.spec.clone()).await;
    let why = eventually("a wait for a person", async || {
        own.query(LoopRun::status, (), WorkflowQueryOptions::default()).await.unwrap().waiting
    })
    .await;
    assert!(why.contains("this branch is protected") && why.contains("host refused-a"), "{why}");
    assert_eq!(site.started().len(), 1);
    fs::remove_file(hook).unwrap();
    let resume = Wish { id: "0000000000001-1-000000.json".into(), wish: input::Wish::Resume };
    own.signal(LoopRun::wish, resume, WorkflowSignalOptions::default()).await.unwrap();
    assert_eq!(fleet.end(&own).await.outcome, DONE);
    assert_eq!(site.started().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn hands_that_cannot_keep_an_agent_in_do_not_poll_and_say_why() {
    let site = Site::new(1);
    let mut host = site.host("a");
    let ralph = site.path().join("ralph");
    let report = r#"{"v":1,"checks":[{"name":"git","health":"ok","detail":"2.47","fix":null},
        {"name":"sandbox","health":"bad","detail":"no user namespaces","fix":"allow them"}]}"#;
    fs::write(&ralph, format!("#!/bin/sh\ncat <<'E'\n{report}\nE\nexit 7\n")).unwrap();
    fs::set_permissions(&ralph, fs::Permissions::from_mode(0o755)).unwrap();
    host.ralph = ralph;
    let mut fleet = Fleet::new("unfit").await;
    let which = fleet.hands_of(host, "a");
    let said = tokio::time::timeout(Duration::from_mins(1), fleet.ended(which))
        .await
        .unwrap()
        .unwrap_err();
    let said = format!("{said:#}");
    assert!(said.contains("sandbox: no user namespaces; allow them"), "{said}");
}

fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

async fn scraped(address: SocketAddr) -> String {
    let mut text = String::new();
    let mut socket = TcpStream::connect(address).await.unwrap();
    socket.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").await.unwrap();
    socket.read_to_string(&mut text).await.unwrap();
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stints_did_can_be_scraped() {
    let site = Site::new(2);
    let address = free_address();
    let mut fleet = Fleet::new("metrics").await;
    fleet.brain();
    fleet.metrics = Some(address);
    fleet.hands(&site, "a");
    let own = fleet.submit(site.spec.clone()).await;
    assert_eq!(fleet.end(&own).await.outcome, DONE);
    let text = scraped(address).await;
    for line in [
        "ralph_stints_total{account=\"metrics\",end=\"finished\"} 1",
        "ralph_iterations_total{accepted=\"true\",kind=\"implement\"} 2",
        "ralph_stint_seconds_count{account=\"metrics\"} 2",
        "ralph_publish_seconds_count{account=\"metrics\"}",
        "ralph_publish_seconds_bucket{account=\"metrics\",le=\"0.25\"}",
        "ralph_cost_micro_usd_total{agent=\"scripted\",tenant=\"t\"} 0",
        "temporal_activity_execution_latency",
    ] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
}
