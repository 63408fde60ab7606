//! Asks the server whether a stint is still wanted. Silence is a yes: then the lease decides.

use std::time::Duration;

use temporalio_client::WorkflowDescribeOptions;
use temporalio_common::protos::temporal::api::enums::v1::PendingActivityState;
use temporalio_sdk::activities::ActivityContext;

use crate::workflow::looping::LoopRun;

const PATIENCE: Duration = Duration::from_secs(5);

/// No longer if its loop has ended, or asked this very activity to end. An activity that the server gave up is not
/// asked to end: the loop will come back to its host for the report.
pub(super) async fn is_wanted(ctx: &ActivityContext) -> bool {
    let Some(own) = ctx.workflow_handle::<LoopRun>() else { return true };
    let asked =
        tokio::time::timeout(PATIENCE, own.describe(WorkflowDescribeOptions::default())).await;
    let Ok(Ok(found)) = asked else { return true };
    let raw = found.raw();
    let is_running = found.status() == temporalio_client::WorkflowExecutionStatus::Running;
    let is_cancelled = raw.pending_activities.iter().any(|one| {
        one.activity_id == ctx.info().activity_id
            && one.state() == PendingActivityState::CancelRequested
    });
    is_running && !is_cancelled
}
