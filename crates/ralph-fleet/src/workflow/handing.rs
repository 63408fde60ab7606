//! How a loop hands out a stint and comes by its report: from the stint, or from its host if the stint cannot give it;
//! and what it does when there is none.

use futures::FutureExt as _;
use temporalio_common::error::IncomingError;
use temporalio_sdk::{
    ActivityExecutionError, ApplicationFailure, WorkflowContext, WorkflowResult,
    WorkflowTermination,
};

use super::{
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
    by_person: bool,
) -> WorkflowResult<StintReport> {
    loop {
        let error = match hand_out(ctx, by_person).await {
            Ok(report) => return Ok(report),
            Err(error) => error,
        };
        if ctx.cancellation_token().is_cancelled() {
            return Err(cancelled(ctx));
        }
        // It was called back while it waited for a hand.
        if ctx.state(|s| s.book.is_useless()) {
            return Ok(ctx.state(|s| s.book.stopped()));
        }
        let Some(pause) = ctx.state_mut(|s| s.book.failed(by_person, is_refused(&error))) else {
            ctx.upsert_search_attributes([seen::STATE.value_set(seen::FAILED.to_owned())]);
            return Err(gave_up(ctx, &error));
        };
        ctx.timer(pause).await;
        if ctx.cancellation_token().is_cancelled() {
            return Err(cancelled(ctx));
        }
        go_on_as_new_if_long(ctx)?;
    }
}

async fn hand_out(
    ctx: &WorkflowContext<LoopRun>,
    by_person: bool,
) -> Result<StintReport, ActivityExecutionError> {
    let input = ctx.state_mut(|s| s.book.next_stint(ctx.workflow_id(), by_person));
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

/// Whether the host was only too old for it.
fn is_refused(error: &ActivityExecutionError) -> bool {
    let failure = error.cause().map(IncomingError::failure);
    failure
        .and_then(|failure| failure.maybe_application_failure())
        .is_some_and(|failure| failure.r#type == REFUSED)
}

fn gave_up(ctx: &WorkflowContext<LoopRun>, error: &ActivityExecutionError) -> WorkflowTermination {
    let failures = ctx.state(|s| s.book.carry.failures);
    let last = error.cause().map_or_else(|| error.to_string(), ToString::to_string);
    let what = format!(
        "{failures} stints in a row gave no report, the last: {last}; nothing published is lost: \
         see to the cause, then resume the loop"
    );
    let failure = ApplicationFailure::builder(what)
        .type_name("GaveUp".to_owned())
        .non_retryable(true)
        .build();
    WorkflowTermination::failed_application(failure)
}
