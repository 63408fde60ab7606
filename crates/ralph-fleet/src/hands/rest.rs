//! Whether an account rests, and the word that it must. The server itself knows how long: no brain need be up to ask.

use std::time::Duration;

use anyhow::Context as _;
use temporalio_client::{
    Client, WorkflowDescribeOptions, WorkflowExecutionStatus, WorkflowIdConflictPolicy,
    WorkflowUpdateWithStartOptions, errors::WorkflowInteractionError,
};

use super::month::now_ms;
use crate::{
    wire::BRAIN_QUEUE,
    workflow::account::{self, AccountRun},
};

/// A brain that is up answers sooner.
const PATIENCE: Duration = Duration::from_secs(10);

/// Until when no loop of the account may call, if that is still to come.
pub(crate) async fn until(client: &Client, account: &str) -> anyhow::Result<Option<i64>> {
    let rest = client.get_workflow_handle::<AccountRun>(account::id(account));
    let found = match rest.describe(WorkflowDescribeOptions::default()).await {
        Ok(found) => found,
        Err(WorkflowInteractionError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error).context("cannot check whether the account is resting"),
    };
    if found.status() != WorkflowExecutionStatus::Running {
        return Ok(None);
    }
    let until = found.memo().get::<i64>(account::UNTIL);
    let until = until.context("cannot read how long the account is resting")?;
    Ok(until.filter(|until| *until > now_ms()))
}

/// No limit of a provider lasts longer, whatever an agent prints.
const LONGEST_REST_MS: i64 = 8 * 24 * 3_600_000;

/// Says that the account's limit was met. Once it is said, no hand begins a stint of the account before then.
pub(crate) async fn begin(client: &Client, account: &str, until_ms: i64) -> anyhow::Result<()> {
    let until_ms = until_ms.min(now_ms() + LONGEST_REST_MS);
    let policy = WorkflowIdConflictPolicy::UseExisting;
    let options = WorkflowUpdateWithStartOptions::new(BRAIN_QUEUE, account::id(account), policy);
    let said = client.execute_update_with_start_workflow(
        AccountRun::run,
        account.to_owned(),
        AccountRun::limited,
        until_ms,
        options.build(),
    );
    tokio::time::timeout(PATIENCE, said)
        .await
        .context("cannot report the account's usage limit: is a brain running?")?
        .context("cannot report the account's usage limit")?;
    Ok(())
}
