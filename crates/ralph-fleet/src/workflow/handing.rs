//! How a loop hands out a stint and comes by its report: from the stint, or from its host if the stint cannot give it;
//! and what it does when there is none.

use std::time::Duration;

use futures::FutureExt as _;
use temporalio_common::error::{IncomingError, TimeoutError, TimeoutType};
use temporalio_sdk::{
    ActivityExecutionError, ApplicationFailure, WorkflowContext, WorkflowResult,
    WorkflowTermination, workflows::select,
};

use super::{
    book::Miss,
    errand,
    history::{LoopRun, cancelled, go_on_as_new_if_long},
    telling::keep_telling,
};
use crate::{
    activities::{Attend, Work},
    search_attributes as seen,
    wire::{Attendance, REFUSED, StintReport},
};

/// Hands out stints until one reports. Each that does not is followed by a longer pause, and the last by the truth
/// about it.
pub(super) async fn hand_out_until_reported(
    ctx: &WorkflowContext<LoopRun>,
) -> WorkflowResult<StintReport> {
    loop {
        let error = match hand_out(ctx).await {
            Ok(report) => return Ok(report),
            Err(error) => error,
        };
        if ctx.cancellation_token().is_cancelled() {
            return Err(cancelled(ctx));
        }
        let miss = miss(&error);
        if matches!(miss, Miss::Lost) {
            ctx.state_mut(|s| s.book.lost_sight());
        }
        // It was called back while it waited for a hand.
        if ctx.state(|s| s.book.is_useless()) {
            return Ok(ctx.state(|s| s.book.stopped()));
        }
        let why = cause(&error);
        let Some(pause) = ctx.state_mut(|s| s.book.failed(miss, why)) else {
            ctx.upsert_search_attributes([seen::STATE.value_set(seen::FAILED.to_owned())]);
            return Err(gave_up(ctx, &error));
        };
        pause_or_stop(ctx, pause).await;
        if ctx.cancellation_token().is_cancelled() {
            return Err(cancelled(ctx));
        }
        // It was given to a stint that came to nothing.
        if ctx.state(|s| s.book.is_stopped()) {
            return Ok(ctx.state(|s| s.book.stopped()));
        }
        go_on_as_new_if_long(ctx)?;
    }
}

/// Whoever stops a loop does not wait for its pause.
async fn pause_or_stop(ctx: &WorkflowContext<LoopRun>, pause: Duration) {
    let mut timer = Box::pin(ctx.timer(pause));
    let mut stopped = Box::pin(ctx.wait_condition(|s| s.book.is_stopped()));
    select! {
        _ = timer => {}
        _ = stopped => {}
    }
}

async fn hand_out(ctx: &WorkflowContext<LoopRun>) -> Result<StintReport, ActivityExecutionError> {
    let input = ctx.state_mut(|s| s.book.next_stint(ctx.workflow_id()));
    let recall = ctx.cancellation_token().child_token();
    let options = ctx.state(|s| errand::stint(&s.book.spec, &recall));
    let stint = ctx.execute_activity(Work, input, options);
    match keep_telling(ctx, stint.boxed_local(), Some(&recall)).await {
        Err(error) => attend(ctx, &error).await.ok_or(error),
        reported => reported,
    }
}

/// A stint that only stopped saying that it lives may still be at work: its host is asked, and waited for. An outage of
/// the server must not cost a paid call. A stint that said how it failed is over.
async fn attend(
    ctx: &WorkflowContext<LoopRun>,
    error: &ActivityExecutionError,
) -> Option<StintReport> {
    error.as_timeout()?;
    let place = ctx.state(|s| s.book.place.clone())?;
    let (options, stint) =
        ctx.state(|s| (errand::attend(&s.book.spec, place), s.book.carry.stints));
    let attendance = Attendance { key: ctx.workflow_id().to_owned(), stint };
    let report = ctx.execute_activity(Attend, attendance, options);
    keep_telling(ctx, report.boxed_local(), None).await.ok().flatten()
}

fn miss(error: &ActivityExecutionError) -> Miss {
    let failure = error.cause().map(IncomingError::failure);
    let said = failure.and_then(|failure| failure.maybe_application_failure());
    match said {
        Some(said) if said.r#type == REFUSED => Miss::Refused,
        None if error.as_timeout().is_some() => Miss::Lost,
        _ => Miss::Failed,
    }
}

/// What a person would read about it.
fn cause(error: &ActivityExecutionError) -> String {
    let is_silent =
        |timeout: &TimeoutError| matches!(timeout.timeout_type(), TimeoutType::Heartbeat);
    if error.as_timeout().is_some_and(is_silent) {
        return "its host stopped sending heartbeats".to_owned();
    }
    error.cause().map_or_else(|| error.to_string(), ToString::to_string)
}

fn gave_up(ctx: &WorkflowContext<LoopRun>, error: &ActivityExecutionError) -> WorkflowTermination {
    let failures = ctx.state(|s| s.book.in_a_row());
    let last = cause(error);
    let what = format!(
        "{failures} stints in a row did not report, the last: {last}; nothing published is lost: \
         fix the cause, then run ralph fleet resume {}",
        ctx.workflow_id()
    );
    let failure = ApplicationFailure::builder(what)
        .type_name("GaveUp".to_owned())
        .non_retryable(true)
        .build();
    WorkflowTermination::failed_application(failure)
}
