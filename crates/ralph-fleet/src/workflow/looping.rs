//! The loop as a workflow. It holds no plan and decides nothing about work: it hands out stints, waits, and passes on
//! what people say.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::{
    FutureExt as _,
    future::{Fuse, FusedFuture as _, LocalBoxFuture},
};
use ralph_core::input;
use temporalio_macros::{workflow, workflow_methods};
use temporalio_sdk::{
    ActivityExecutionError, ApplicationFailure, ContinueAsNewOptions, SyncWorkflowContext,
    WaitConditionOptions, WorkflowCancellationToken, WorkflowContext, WorkflowContextView,
    WorkflowResult, WorkflowTermination, workflows::select,
};

use super::{book::Book, errand};
use crate::{
    hands::Hands,
    search_attributes as seen,
    wire::{Attendance, Delivery, LoopEnd, LoopInput, Placed, Status, StintEnd, StintReport, Wish},
};

/// Old histories keep old code alive: every loop moves on after this long.
const LONGEST_RUN: Duration = Duration::from_hours(24);

/// One loop: all stints on one branch.
#[workflow]
pub struct LoopRun {
    book: Book,
    /// What the search attribute says.
    shown: &'static str,
}

#[workflow_methods]
impl LoopRun {
    #[init]
    fn new(_ctx: &WorkflowContextView, input: LoopInput) -> Self {
        let shown = input.carry.last.as_ref().map_or(seen::QUEUED, |last| seen::state(&last.end));
        Self { book: Book::new(input), shown }
    }

    #[run(name = "ralph.loop.v1")]
    pub async fn run(ctx: &mut WorkflowContext<Self>) -> WorkflowResult<LoopEnd> {
        let began = ctx.workflow_time();
        loop {
            let by_person = wait_out(ctx).await?;
            let report = hand_out_until_reported(ctx, by_person).await?;
            ctx.upsert_search_attributes(seen::at_stint_end(&report));
            let end = report.end.clone();
            ctx.state_mut(|s| {
                s.shown = seen::state(&report.end);
                s.book.took(report);
            });
            if let StintEnd::Finished { outcome, exit } = end {
                return Ok(ctx.state(|s| s.book.end(outcome, exit)));
            }
            if ctx.cancellation_token().is_cancelled() {
                return Err(cancelled(ctx));
            }
            if is_long(ctx, began) {
                let input = ctx.state(|s| LoopInput {
                    spec: s.book.spec.clone(),
                    carry: s.book.carry.clone(),
                });
                ctx.continue_as_new(input, ContinueAsNewOptions::default())?;
            }
        }
    }

    /// The stint tells where it is, so that words reach it at once.
    #[signal(name = "placed")]
    pub fn placed(&mut self, ctx: &mut SyncWorkflowContext<Self>, placed: Placed) {
        if self.book.placed(placed) && self.shown != seen::WORKING {
            self.shown = seen::WORKING;
            ctx.upsert_search_attributes([seen::STATE.value_set(seen::WORKING.to_owned())]);
        }
    }

    #[signal(name = "wish")]
    pub fn wish(&mut self, _ctx: &mut SyncWorkflowContext<Self>, wish: Wish) {
        self.book.heard(wish);
    }

    #[query(name = "status")]
    pub fn status(&self, _ctx: &WorkflowContextView) -> Status {
        self.book.status()
    }

    #[update_validator(answer)]
    fn check_answer(
        &self,
        _ctx: &WorkflowContextView,
        _wish: &Wish,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        match self.book.waiting {
            Some(_) => Ok(()),
            None => Err("nothing waits for an answer: steer the loop instead".into()),
        }
    }

    /// Answers what it was that waited.
    #[update(name = "answer")]
    pub fn answer(&mut self, _ctx: &mut SyncWorkflowContext<Self>, wish: Wish) -> String {
        self.book.heard(wish);
        self.book.waiting.clone().unwrap_or_default()
    }
}

/// Waits for what the last report said there is to wait for. Answers whether a person ended a wait for a person.
async fn wait_out(ctx: &WorkflowContext<LoopRun>) -> WorkflowResult<bool> {
    let is_for_person = match ctx.state(|s| s.book.last_end().cloned()) {
        Some(StintEnd::NeedsPerson { why }) => {
            ctx.state_mut(|s| s.book.waiting = Some(why));
            ctx.wait_condition(|s| s.book.carry.told).await.map_err(|_| cancelled(ctx))?;
            true
        }
        Some(StintEnd::Wait { until_ms }) => {
            ctx.state_mut(|s| {
                s.book.waiting = Some(format!("waits until {until_ms} (ms since 1970)"));
            });
            wait_until(ctx, until_ms).await?;
            false
        }
        _ => false,
    };
    Ok(is_for_person)
}

async fn wait_until(ctx: &WorkflowContext<LoopRun>, until_ms: i64) -> WorkflowResult<()> {
    let left =
        Duration::from_millis(u64::try_from(until_ms).unwrap_or(0)).saturating_sub(since_1970(ctx));
    if left.is_zero() || ctx.state(|s| s.book.carry.told) {
        return Ok(());
    }
    let mut timer = Box::pin(ctx.timer(left));
    let mut told = Box::pin(ctx.wait_condition(|s| s.book.carry.told));
    select! {
        _ = timer => {}
        _ = told => {}
    }
    if ctx.cancellation_token().is_cancelled() { Err(cancelled(ctx)) } else { Ok(()) }
}

/// Hands out stints until one reports. Each that does not is followed by a longer pause, and the last by the truth
/// about it.
async fn hand_out_until_reported(
    ctx: &WorkflowContext<LoopRun>,
    by_person: bool,
) -> WorkflowResult<StintReport> {
    loop {
        let (spec, input) = ctx
            .state_mut(|s| (s.book.spec.clone(), s.book.next_stint(ctx.workflow_id(), by_person)));
        let stint = ctx.execute_activity(Hands::stint, input, errand::stint(&spec));
        let error = match keep_telling(ctx, stint.boxed_local()).await {
            Ok(report) => return Ok(report),
            Err(error) => error,
        };
        if let Some(report) = attend(ctx, &error).await {
            return Ok(report);
        }
        if ctx.cancellation_token().is_cancelled() {
            return Err(cancelled(ctx));
        }
        let Some(pause) = ctx.state_mut(|s| s.book.failed()) else {
            ctx.upsert_search_attributes([seen::STATE.value_set(seen::FAILED.to_owned())]);
            return Err(gave_up(ctx, &error));
        };
        ctx.timer(pause).await;
        if ctx.cancellation_token().is_cancelled() {
            return Err(cancelled(ctx));
        }
    }
}

/// A stint that only stopped saying that it lives may still be at work: its host is asked, and waited for. An outage of
/// the server must not cost a paid call. A stint that said how it failed is over.
async fn attend(
    ctx: &WorkflowContext<LoopRun>,
    error: &ActivityExecutionError,
) -> Option<StintReport> {
    error.as_timeout()?;
    let (spec, stint, place) =
        ctx.state(|s| (s.book.spec.clone(), s.book.carry.stints, s.book.place.clone()));
    let attendance = Attendance { key: ctx.workflow_id().to_owned(), stint };
    let report = ctx.execute_activity(Hands::attend, attendance, errand::attend(&spec, place?));
    keep_telling(ctx, report.boxed_local()).await.ok().flatten()
}

/// Waits for what somebody does for the loop, and meanwhile sends every wish after it, one at a time. A cancelled loop
/// wishes that its run stops now: the heartbeat would bring it too, but only at its next turn.
async fn keep_telling<T>(
    ctx: &WorkflowContext<LoopRun>,
    work: LocalBoxFuture<'_, Result<T, ActivityExecutionError>>,
) -> Result<T, ActivityExecutionError> {
    let detached = WorkflowCancellationToken::new();
    let mut work = work.fuse();
    let mut delivery: Fuse<LocalBoxFuture<'_, ()>> = Fuse::terminated();
    let mut stopped = Box::pin(ctx.cancelled());
    loop {
        let is_free = delivery.is_terminated();
        let free = WaitConditionOptions::builder().cancellation_token(detached.clone()).build();
        let mut unsent = Box::pin(
            ctx.wait_condition_with_options(|s| is_free && s.book.unsent().is_some(), free),
        );
        select! {
            ended = work => return ended,
            () = delivery => {}
            _ = unsent => delivery = deliver(ctx, &detached).boxed_local().fuse(),
            _ = stopped => ctx.state_mut(|s| s.book.heard(stop_now(ctx))),
        }
    }
}

async fn deliver(ctx: &WorkflowContext<LoopRun>, detached: &WorkflowCancellationToken) {
    let next = ctx.state(|s| Some((s.book.unsent()?.clone(), s.book.place.clone()?)));
    let Some((wish, queue)) = next else { return };
    let options = ctx.state(|s| errand::deliver(&s.book.spec, queue, detached));
    ctx.state_mut(|s| s.book.sent(&wish.id));
    let delivery = Delivery { key: ctx.workflow_id().to_owned(), wish };
    // Whether it arrived is the report's to say.
    let _ = ctx.execute_activity(Hands::deliver, delivery, options).await;
}

fn stop_now(ctx: &WorkflowContext<LoopRun>) -> Wish {
    let id = format!("{:013}-cancel-000000.json", since_1970(ctx).as_millis());
    Wish { id, wish: input::Wish::StopNow }
}

fn is_long(ctx: &WorkflowContext<LoopRun>, began: Option<SystemTime>) -> bool {
    let age =
        ctx.workflow_time().zip(began).and_then(|(now, began)| now.duration_since(began).ok());
    ctx.continue_as_new_suggested()
        || ctx.history_length() >= ctx.state(|s| s.book.spec.limits.history_events)
        || age.is_some_and(|age| age >= LONGEST_RUN)
}

/// The engine's word for the time, the same at every replay.
fn since_1970(ctx: &WorkflowContext<LoopRun>) -> Duration {
    ctx.workflow_time().and_then(|now| now.duration_since(UNIX_EPOCH).ok()).unwrap_or_default()
}

/// Ends the loop as cancelled, with how far it came.
fn cancelled(ctx: &WorkflowContext<LoopRun>) -> WorkflowTermination {
    WorkflowTermination::cancelled_with_details(
        ctx.state(|s| s.book.end("cancelled".to_owned(), 130)),
    )
}

fn gave_up(ctx: &WorkflowContext<LoopRun>, error: &ActivityExecutionError) -> WorkflowTermination {
    let failures = ctx.state(|s| s.book.carry.failures);
    let last = error.cause().map_or_else(|| error.to_string(), ToString::to_string);
    let what = format!(
        "{failures} stints in a row gave no report, the last: {last}; nothing published is lost: \
         see to the cause, then submit the loop again"
    );
    let failure = ApplicationFailure::builder(what)
        .type_name("GaveUp".to_owned())
        .non_retryable(true)
        .build();
    WorkflowTermination::failed_application(failure)
}
