//! Real workers on the real server with the real ralph in its sandbox: loops end truthfully, whatever becomes of
//! workers and waits.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

#[path = "support/eventually.rs"]
mod eventually;
#[path = "support/fleet.rs"]
mod fleet;
mod remote;
#[path = "support/server.rs"]
mod server;
#[expect(dead_code, reason = "a part of it is for stints without workers")]
#[path = "stint_work/site.rs"]
mod site;

use std::{
    fs,
    time::{Duration, Instant},
};

use eventually::eventually;
use fleet::Fleet;
use ralph_core::input;
use ralph_fleet::{
    hands::{month, now_ms},
    wire::{BRAIN_QUEUE, Limits, LoopSpec, Times, Wish},
    workflow::{
        account::{self, AccountRun},
        budget::{self, BudgetRun, Ledger},
        looping::LoopRun,
    },
};
use site::Site;
use temporalio_client::{
    WorkflowCancelOptions, WorkflowExecuteUpdateOptions, WorkflowIdConflictPolicy,
    WorkflowQueryOptions, WorkflowSignalOptions, WorkflowStartOptions,
    WorkflowUpdateWithStartOptions,
};

const DONE: &str = "everything is done";
const STOPPED: &str = "stopped on request, with work left";

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

#[tokio::test(flavor = "multi_thread")]
async fn no_loop_of_a_resting_account_is_called_before_its_limit_is_lifted() {
    let site = Site::new(1);
    let mut fleet = Fleet::new("rest").await;
    fleet.brain();
    fleet.hands(&site, "a");
    let until_ms = now_ms() + 4000;
    let options = WorkflowUpdateWithStartOptions::new(
        BRAIN_QUEUE,
        account::id("rest"),
        WorkflowIdConflictPolicy::UseExisting,
    );
    let said = fleet.client.execute_update_with_start_workflow(
        AccountRun::run,
        "rest".to_owned(),
        AccountRun::limited,
        until_ms,
        options.build(),
    );
    assert_eq!(said.await.unwrap(), until_ms);
    let own = fleet.submit(site.spec.clone()).await;
    let end = fleet.end(&own).await;
    assert_eq!(end.outcome, DONE);
    let called = site.calls().first().unwrap().at / 1_000_000;
    assert!(
        called >= u128::try_from(until_ms).unwrap(),
        "called {called}, limited until {until_ms}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_that_one_loop_meets_rests_all_loops_of_the_account() {
    let site = Site::new(1);
    site.seed("ralph/other", &[3, 4]);
    site.hold("T-3");
    fs::write(site.log.join("until"), "0").unwrap();
    let mut fleet = Fleet::new("limit").await;
    fleet.brain();
    fleet.limited_hands(&site, "a");
    fleet.limited_hands(&site, "b");
    let times = Times { longest_wait_ms: 1000, ..site.spec.times };
    let limits = Limits { iterations_per_stint: 10, ..site.spec.limits.clone() };
    let spec = LoopSpec { times, limits, ..site.spec.clone() };
    let other = fleet.submit(LoopSpec { branch: "ralph/other".into(), ..spec.clone() }).await;
    eventually("an agent", async || site.started().first().cloned()).await;
    let until_ms = now_ms() + 10_000;
    fs::write(site.log.join("until"), until_ms.to_string()).unwrap();
    let meets = fleet.submit(spec).await;
    eventually("the other loop leaves its host", async || {
        let status = other.query(LoopRun::status, (), WorkflowQueryOptions::default()).await;
        status.unwrap().last
    })
    .await;
    assert!(now_ms() < until_ms, "it rests before the limit is lifted");
    site.release("T-3");
    for one in [&meets, &other] {
        assert_eq!(fleet.end(one).await.outcome, DONE);
    }
    let calls = site.calls();
    let met = calls.iter().position(|call| call.what == "limited").unwrap();
    let early = calls[met..].iter().filter(|call| {
        let at_ms = i64::try_from(call.at / 1_000_000).unwrap();
        ["start", "limited"].contains(&call.what.as_str()) && at_ms < until_ms
    });
    assert_eq!(early.count(), 1, "only the one that met it: {calls:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_money_a_loop_waits_for_a_person() {
    let site = Site::new(1);
    let mut fleet = Fleet::new("money").await;
    fleet.brain();
    fleet.hands(&site, "a");
    let id = budget::id("tenant", &month(now_ms()));
    let options = WorkflowStartOptions::new(BRAIN_QUEUE, id).build();
    let purse =
        fleet.client.start_workflow(BudgetRun::run, Ledger::default(), options).await.unwrap();
    let limits = Limits { budget: Some("tenant".into()), ..site.spec.limits.clone() };
    let own = fleet.submit(LoopSpec { limits, ..site.spec.clone() }).await;
    let waits = eventually("the loop waits", async || {
        own.query(LoopRun::status, (), WorkflowQueryOptions::default()).await.unwrap().waiting
    });
    assert!(waits.await.contains("is used up"));
    let limit =
        purse.execute_update(BudgetRun::limit, 1_000_000, WorkflowExecuteUpdateOptions::default());
    assert_eq!(limit.await.unwrap(), 1_000_000);
    let resume = Wish { id: "0000000000001-1-000000.json".into(), wish: input::Wish::Resume };
    own.signal(LoopRun::wish, resume, WorkflowSignalOptions::default()).await.unwrap();
    assert_eq!(fleet.end(&own).await.outcome, DONE);
    let ledger = purse.query(BudgetRun::ledger, (), WorkflowQueryOptions::default()).await.unwrap();
    assert_eq!((ledger.spent_micro_usd, ledger.left()), (0, 1_000_000), "the grant was settled");
    assert_eq!(site.started().len(), 1);
}
