//! How a loop waits: for a time by a timer, for a person as long as it takes, always durably and without a worker.

use std::time::{Duration, UNIX_EPOCH};

use temporalio_sdk::{WorkflowContext, WorkflowResult, workflows::select};

use super::history::{LoopRun, cancelled};
use crate::{wire::StintEnd, words::moment};

/// Waits for what the last report said there is to wait for. A wait for a person is ended by one.
pub(super) async fn wait_out(ctx: &WorkflowContext<LoopRun>) -> WorkflowResult<()> {
    match ctx.state(|s| s.book.last_end().cloned()) {
        Some(StintEnd::NeedsPerson { why }) => {
            ctx.state_mut(|s| s.book.waiting = Some(why));
            ctx.wait_condition(|s| s.book.carry.told).await.map_err(|_| cancelled(ctx))?;
            ctx.state_mut(|s| s.book.carry.by_person = true);
        }
        Some(StintEnd::Wait { until_ms }) => {
            let what = format!("until {}", moment(until_ms));
            ctx.state_mut(|s| s.book.waiting = Some(what));
            wait_until(ctx, until_ms).await?;
        }
        _ => {}
    }
    Ok(())
}

async fn wait_until(ctx: &WorkflowContext<LoopRun>, until_ms: i64) -> WorkflowResult<()> {
    let until = Duration::from_millis(u64::try_from(until_ms).unwrap_or(0));
    let left = until.saturating_sub(since_1970(ctx));
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

/// The engine's word for the time, the same at every replay.
pub(super) fn since_1970(ctx: &WorkflowContext<LoopRun>) -> Duration {
    ctx.workflow_time().and_then(|now| now.duration_since(UNIX_EPOCH).ok()).unwrap_or_default()
}
