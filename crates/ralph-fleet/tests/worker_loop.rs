//! The loop on the real server, with hands that do what a script says: what is handed out, waited for, delivered. Each
//! history is replayed; with `RECORD_HISTORIES` it is also kept for `replay.rs`.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

mod support;

use std::time::{SystemTime, UNIX_EPOCH};

use ralph_core::input;
use ralph_fleet::{
    wire::{Limits, LoopEnd, StintEnd, Wish},
    workflow::looping::LoopRun,
};
use support::{Act, Script, eventually, report};
use temporalio_client::{
    Client, WorkflowCancelOptions, WorkflowDescribeOptions, WorkflowExecuteUpdateOptions,
    WorkflowGetResultOptions, WorkflowHandle, WorkflowQueryOptions, WorkflowSignalOptions,
    errors::{WorkflowGetResultError, WorkflowUpdateError},
};

type Loop = WorkflowHandle<Client, LoopRun>;

fn done(iterations: u32) -> Act {
    Act::Reports(report(StintEnd::Finished { outcome: "done".into(), exit: 0 }, iterations))
}

fn boundary(iterations: u32) -> Act {
    Act::Reports(report(StintEnd::Boundary, iterations))
}

fn steer(id: &str) -> Wish {
    let text = "use tabs".into();
    Wish { id: format!("{id}.json"), wish: input::Wish::Steer { task: None, text, now: false } }
}

fn now_ms() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

async fn end(of: &Loop) -> LoopEnd {
    of.get_result(WorkflowGetResultOptions::default()).await.unwrap()
}

async fn tell(to: &Loop, wish: Wish) {
    to.signal(LoopRun::wish, wish, WorkflowSignalOptions::default()).await.unwrap();
}

async fn until_waiting(on: &Loop) -> String {
    eventually("the loop waits", async || {
        on.query(LoopRun::status, (), WorkflowQueryOptions::default()).await.unwrap().waiting
    })
    .await
}

#[tokio::test]
async fn one_stint_is_enough_for_a_small_plan() {
    let script = Script::new("one_stint", [done(3)]).await;
    let own = script.submit(script.spec()).await;
    let end = end(&own).await;
    assert_eq!((end.outcome.as_str(), end.exit, end.stints, end.iterations), ("done", 0, 1, 3));
    let events = script.replay(None).await;
    assert!(events <= 17, "{events} events");
}

#[tokio::test]
async fn stints_follow_each_other_with_at_most_12_events_each() {
    let script = Script::new("three_stints", [boundary(10), boundary(20), done(25)]).await;
    let own = script.submit(script.spec()).await;
    assert_eq!(end(&own).await.stints, 3);
    let before: Vec<_> =
        script.stints().iter().map(|stint| (stint.stint, stint.iterations)).collect();
    assert_eq!(before, [(1, 0), (2, 10), (3, 20)]);
    // Four begin the loop, one ends it.
    let events = script.replay(None).await - 5;
    assert!(events <= 3 * 12, "{events} events for 3 stints");
}

#[tokio::test]
async fn a_wait_is_a_timer_and_no_stint_begins_before_it() {
    let until_ms = now_ms() + 1500;
    let waits = Act::Reports(report(StintEnd::Wait { until_ms }, 1));
    let script = Script::new("wait", [waits, done(2)]).await;
    let own = script.submit(script.spec()).await;
    let until = jiff::Timestamp::from_millisecond(until_ms).unwrap();
    assert_eq!(until_waiting(&own).await, until.strftime("until %Y-%m-%d %H:%M UTC").to_string());
    end(&own).await;
    assert!(now_ms() >= until_ms);
    assert!(!script.stints()[1].by_person);
    script.replay(None).await;
}

#[tokio::test]
async fn a_question_waits_for_its_answer_and_the_next_stint_is_a_persons() {
    let asks = Act::Reports(report(StintEnd::NeedsPerson { why: "which port?".into() }, 1));
    let script = Script::new(
        "question",
        [asks, Act::ReportsWhenTold(1, report(StintEnd::Boundary, 2)), done(3)],
    )
    .await;
    let own = script.submit(script.spec()).await;
    assert_eq!(until_waiting(&own).await, "which port?");
    let answer =
        own.execute_update(LoopRun::answer, steer("1"), WorkflowExecuteUpdateOptions::default());
    assert_eq!(answer.await.unwrap(), "which port?");
    eventually("the next stint", async || script.stints().get(1).cloned()).await;
    let late = own
        .execute_update(LoopRun::answer, steer("2"), WorkflowExecuteUpdateOptions::default())
        .await;
    assert!(matches!(late, Err(WorkflowUpdateError::Failed(_))), "nothing waits: {late:?}");
    tell(&own, steer("3")).await;
    end(&own).await;
    let stints = script.stints();
    assert!(stints[1].by_person && stints[1].wishes == [steer("1")], "{:?}", stints[1]);
    assert!(!stints[2].by_person && stints[2].wishes.is_empty(), "{:?}", stints[2]);
    script.replay(None).await;
}

#[tokio::test]
async fn what_is_said_to_a_stint_under_way_reaches_it_in_order() {
    let script =
        Script::new("steer", [Act::ReportsWhenTold(3, report(StintEnd::Boundary, 1)), done(2)])
            .await;
    let own = script.submit(script.spec()).await;
    eventually("the stint", async || script.stints().first().cloned()).await;
    for id in ["1", "2", "3"] {
        tell(&own, steer(id)).await;
    }
    end(&own).await;
    assert_eq!(script.delivered(), ["1.json", "2.json", "3.json"]);
    script.replay(None).await;
}

#[tokio::test]
async fn a_cancelled_loop_stops_its_run_at_once_and_says_how_it_ended() {
    let script = Script::new("cancel", [Act::ReportsWhenStopped]).await;
    let own = script.submit(script.spec()).await;
    eventually("the stint", async || script.stints().first().cloned()).await;
    own.cancel(WorkflowCancelOptions::builder().reason("asked").build()).await.unwrap();
    let end = end(&own).await;
    assert_eq!((end.outcome.as_str(), end.exit), ("stopped", 1));
    script.replay(None).await;
}

#[tokio::test]
async fn a_loop_that_waits_is_cancelled_with_how_far_it_came() {
    let asks = Act::Reports(report(StintEnd::NeedsPerson { why: "which port?".into() }, 7));
    let script = Script::new("cancel_waiting", [asks]).await;
    let own = script.submit(script.spec()).await;
    until_waiting(&own).await;
    own.cancel(WorkflowCancelOptions::builder().reason("asked").build()).await.unwrap();
    match own.get_result(WorkflowGetResultOptions::default()).await {
        Err(WorkflowGetResultError::Cancelled { details }) => {
            let end: LoopEnd = details.deserialize().unwrap();
            assert_eq!((end.outcome.as_str(), end.iterations), ("cancelled", 7));
        }
        other => panic!("{other:?}"),
    }
    script.replay(None).await;
}

fn stop(id: &str) -> Wish {
    Wish { id: format!("{id}.json"), wish: input::Wish::Stop }
}

#[tokio::test]
async fn a_stop_while_a_limit_is_waited_for_needs_no_stint() {
    let waits = Act::Reports(report(StintEnd::Wait { until_ms: now_ms() + 3_600_000 }, 7));
    let script = Script::new("stop_waiting", [waits]).await;
    let own = script.submit(script.spec()).await;
    until_waiting(&own).await;
    tell(&own, stop("1")).await;
    let end = end(&own).await;
    assert_eq!((end.exit, end.stints, end.iterations), (1, 1, 7));
    script.replay(None).await;
}

#[tokio::test]
async fn a_stop_calls_back_a_stint_that_nobody_has_taken_up() {
    let script = Script::new("stop_queued", []).await;
    let nobody = ralph_fleet::wire::LoopSpec { account: "nobody".into(), ..script.spec() };
    let own = script.submit(nobody).await;
    eventually("the stint is handed out", async || {
        let status = own.query(LoopRun::status, (), WorkflowQueryOptions::default()).await.unwrap();
        (status.stints == 1).then_some(())
    })
    .await;
    tell(&own, stop("1")).await;
    let end = end(&own).await;
    assert!(end.exit == 1 && end.outcome.contains("before its next stint"), "{end:?}");
    script.replay(None).await;
}

#[tokio::test]
async fn a_silent_stint_is_asked_for_on_its_host_before_another_begins() {
    let kept = report(StintEnd::Boundary, 4);
    let script = Script::new("attend", [Act::FallsSilent(Some(kept)), done(5)]).await;
    let own = script.submit(script.spec()).await;
    let end = end(&own).await;
    assert_eq!((end.stints, script.stints()[1].iterations), (2, 4), "its report was not lost");
    script.replay(None).await;
}

#[tokio::test]
async fn a_failed_stint_is_repeated_with_all_its_wishes() {
    let asks = Act::Reports(report(StintEnd::NeedsPerson { why: "which port?".into() }, 1));
    let script = Script::new("failed_stint", [asks, Act::Fails("no space left"), done(2)]).await;
    let own = script.submit(script.spec()).await;
    until_waiting(&own).await;
    tell(&own, steer("1")).await;
    end(&own).await;
    let stints = script.stints();
    assert_eq!((&stints[1].wishes, stints[1].by_person), (&stints[2].wishes, stints[2].by_person));
    assert!(stints[2].by_person && stints[2].wishes == [steer("1")]);
    script.replay(None).await;
}

#[tokio::test]
async fn a_loop_gives_up_and_says_what_its_stints_said() {
    let script =
        Script::new("gives_up", [Act::Fails("no space left"), Act::Fails("no space left at all")])
            .await;
    let own = script.submit(script.spec()).await;
    let failed = own.get_result(WorkflowGetResultOptions::default()).await;
    let Err(WorkflowGetResultError::Failed(failure)) = &failed else { panic!("{failed:?}") };
    assert!(
        format!("{failure:?}")
            .contains("2 stints in a row did not report, the last: no space left at all")
    );
    script.replay(None).await;
}

#[tokio::test]
async fn a_long_history_goes_on_as_a_new_one_with_everything_that_waits() {
    let asks = Act::Reports(report(StintEnd::NeedsPerson { why: "which port?".into() }, 1));
    let script = Script::new("continue_as_new", [asks, done(2)]).await;
    let spec = script.spec();
    let spec =
        ralph_fleet::wire::LoopSpec { limits: Limits { history_events: 5, ..spec.limits }, ..spec };
    let own = script.submit(spec).await;
    let first = own.describe(WorkflowDescribeOptions::default()).await.unwrap().run_id().to_owned();
    assert_eq!(until_waiting(&own).await, "which port?");
    let second = eventually("a new run", async || {
        let now =
            own.describe(WorkflowDescribeOptions::default()).await.unwrap().run_id().to_owned();
        (now != first).then_some(now)
    })
    .await;
    assert_eq!(until_waiting(&own).await, "which port?");
    tell(&own, steer("1")).await;
    let end = end(&own).await;
    assert_eq!((end.stints, end.iterations), (2, 2));
    assert!(script.stints()[1].by_person && script.stints()[1].stint == 2);
    script.replay(Some(&first)).await;
    script.replay_as("continued", Some(&second)).await;
}
