//! What bounds loops from outside: an account's usage limit, a tenant's money.

use std::fs;

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
use temporalio_client::{
    WorkflowExecuteUpdateOptions, WorkflowGetResultOptions, WorkflowIdConflictPolicy,
    WorkflowQueryOptions, WorkflowSignalOptions, WorkflowStartOptions,
    WorkflowUpdateWithStartOptions,
};

use crate::{DONE, eventually::eventually, fleet::Fleet, site::Site};

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
    let rest = fleet.client.get_workflow_handle::<AccountRun>(account::id("rest"));
    assert_eq!(rest.get_result(WorkflowGetResultOptions::default()).await.unwrap(), until_ms);
    fleet.keep::<AccountRun>(&account::id("rest"), "account").await;
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
    let options = WorkflowStartOptions::new(BRAIN_QUEUE, id.clone()).build();
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
    fleet.keep::<BudgetRun>(&id, "budget").await;
}
