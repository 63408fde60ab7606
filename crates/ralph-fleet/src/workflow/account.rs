//! The rest of an account: a stint that meets its usage limit says so here, and no loop of the account is given a stint
//! until the limit is lifted. It exists only while there is something to wait for.

use std::time::{Duration, UNIX_EPOCH};

use temporalio_common::{MemoValue, RetryPolicy};
use temporalio_macros::{workflow, workflow_methods};
use temporalio_sdk::{
    ActivityOptions, SyncWorkflowContext, WorkflowContext, WorkflowContextView, WorkflowResult,
    workflows::select,
};

use crate::{
    brake::Brake,
    wire::{BrakeOrder, account_queue},
};

/// Where hands read, without asking a brain, how long the account rests.
pub const UNTIL: &str = "until_ms";

/// The id of an account's rest.
pub fn id(account: &str) -> String {
    format!("account/{account}")
}

/// One rest of one account.
#[workflow]
pub struct AccountRun {
    account: String,
    until_ms: i64,
}

#[workflow_methods]
impl AccountRun {
    #[init]
    fn new(_ctx: &WorkflowContextView, account: String) -> Self {
        Self { account, until_ms: 0 }
    }

    #[run(name = "ralph.account.v1")]
    pub async fn run(ctx: &mut WorkflowContext<Self>) -> WorkflowResult<i64> {
        // Its first task carries the limit that it was started for.
        ctx.wait_condition(|s| s.until_ms > 0).await?;
        brake(ctx, true).await?;
        loop {
            let until = ctx.state(|s| s.until_ms);
            let mut timer = Box::pin(ctx.timer(left(ctx, until)));
            let mut later = Box::pin(ctx.wait_condition(move |s| s.until_ms > until));
            select! {
                _ = timer => {}
                told = later => { told?; continue; }
            }
            brake(ctx, false).await?;
            // Said while the brake was being released.
            if ctx.state(|s| s.until_ms) == until {
                return Ok(until);
            }
            brake(ctx, true).await?;
        }
    }

    /// Answers until when the account rests: the latest of all that was said. Whoever hears the answer can rely on
    /// every hand knowing it.
    #[update(name = "limited")]
    pub fn limited(&mut self, ctx: &mut SyncWorkflowContext<Self>, until_ms: i64) -> i64 {
        if until_ms > self.until_ms {
            self.until_ms = until_ms;
            if let Err(error) = ctx.upsert_memo([(UNTIL, Some(MemoValue::new(until_ms)))]) {
                ctx.force_task_fail(error);
            }
        }
        self.until_ms
    }
}

async fn brake(ctx: &WorkflowContext<AccountRun>, is_on: bool) -> WorkflowResult<()> {
    let queue = ctx.state(|s| account_queue(&s.account));
    // Tried until it works: a brake that stays on would rest the account for good.
    let options = ActivityOptions::with_start_to_close_timeout(Duration::from_secs(30))
        .retry_policy(RetryPolicy::builder().maximum_interval(Duration::from_secs(10)).build())
        .build();
    ctx.execute_activity(Brake::brake, BrakeOrder { queue, is_on }, options).await?;
    Ok(())
}

fn left(ctx: &WorkflowContext<AccountRun>, until_ms: i64) -> Duration {
    let now =
        ctx.workflow_time().and_then(|now| now.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    Duration::from_millis(u64::try_from(until_ms).unwrap_or(0)).saturating_sub(now)
}
