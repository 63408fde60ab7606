//! What a loop has others do: stints on the queue of its account, words and questions on the queue of one host. How
//! long each may take, and what becomes of it when the loop is cancelled, is said here alone.

use std::time::Duration;

use temporalio_common::{Priority, RetryPolicy};
use temporalio_sdk::{ActivityCancellationType, ActivityOptions, WorkflowCancellationToken};

use crate::wire::{LoopSpec, account_queue};

/// Longer than any stint: a hand that is alive says so, and one that is not is missed by its heartbeat.
const DAY: Duration = Duration::from_hours(24);

/// How long an old host has to say that it is there: longer than a poller needs to come back to a server that was away,
/// and short, because a takeover waits for it.
const TAKEN_UP_WITHIN: Duration = Duration::from_secs(20);

/// The loop repeats what failed, after it has asked the old host: the engine must not.
fn once() -> RetryPolicy {
    RetryPolicy::builder().maximum_attempts(1).build()
}

/// Ends with the loop, or when it is called back.
pub(crate) fn stint(spec: &LoopSpec, recall: &WorkflowCancellationToken) -> ActivityOptions {
    ActivityOptions::with_start_to_close_timeout(DAY)
        .task_queue(account_queue(&spec.account))
        .heartbeat_timeout(heartbeat(spec))
        .cancellation_token(recall.clone())
        .cancellation_type(ActivityCancellationType::WaitCancellationCompleted)
        .retry_policy(once())
        .priority(Priority::builder().fairness_key(spec.tenant.clone()).build())
        .build()
}

/// Outlives a cancelled loop: a cancel itself is delivered like this.
pub(crate) fn deliver(
    spec: &LoopSpec,
    queue: String,
    detached: &WorkflowCancellationToken,
) -> ActivityOptions {
    ActivityOptions::with_start_to_close_timeout(
        heartbeat(spec) + Duration::from_millis(spec.times.grace_ms),
    )
    .task_queue(queue)
    .schedule_to_start_timeout(heartbeat(spec))
    .cancellation_token(detached.clone())
    .retry_policy(once())
    .build()
}

/// A host that is gone does not take it up in time; one that is there may be at it for long.
pub(crate) fn attend(spec: &LoopSpec, queue: String) -> ActivityOptions {
    ActivityOptions::with_start_to_close_timeout(DAY)
        .task_queue(queue)
        .schedule_to_start_timeout(heartbeat(spec).min(TAKEN_UP_WITHIN))
        .heartbeat_timeout(heartbeat(spec))
        .cancellation_type(ActivityCancellationType::WaitCancellationCompleted)
        .retry_policy(once())
        .build()
}

fn heartbeat(spec: &LoopSpec) -> Duration {
    Duration::from_millis(spec.times.heartbeat_ms)
}
