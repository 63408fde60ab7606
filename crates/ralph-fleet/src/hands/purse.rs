//! What a stint asks before it begins and says when it has ended: whether its account rests, and the money of its
//! tenant.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use temporalio_client::{
    Client, WorkflowDescribeOptions, WorkflowExecuteUpdateOptions, WorkflowExecutionStatus,
    WorkflowIdConflictPolicy, WorkflowSignalOptions, WorkflowUpdateWithStartOptions,
    errors::{WorkflowInteractionError, WorkflowUpdateError},
};

use super::month::month;
use crate::{
    stint::Lost,
    wire::{BRAIN_QUEUE, GrantAsk, Settlement, StintEnd, StintInput, StintReport},
    workflow::{
        account::{self, AccountRun},
        budget::{self, BudgetRun},
    },
};

/// A brain that is up answers sooner.
const PATIENCE: Duration = Duration::from_secs(10);

/// The purse of one stint.
pub(super) struct Purse {
    client: Client,
    key: String,
    stint: u32,
    account: String,
    /// Of this month; none asks nobody.
    budget: Option<String>,
    wanted_micro_usd: u64,
    spent_micro_usd: u64,
}

impl Purse {
    pub(super) fn new(client: Client, input: &StintInput) -> Self {
        let limits = &input.spec.limits;
        Self {
            client,
            key: input.key.clone(),
            stint: input.stint,
            account: input.spec.account.clone(),
            budget: limits.budget.as_ref().map(|name| budget::id(name, &month(now_ms()))),
            wanted_micro_usd: limits.money_per_stint_micro_usd,
            spent_micro_usd: input.spent_micro_usd,
        }
    }

    /// How much the stint may spend, if anything bounds it; or how its loop goes on without it.
    pub(super) async fn open(&self) -> anyhow::Result<Result<Option<u64>, StintEnd>> {
        if let Some(until_ms) = self.rests_until().await? {
            return Ok(Err(StintEnd::Wait { until_ms }));
        }
        let Some(id) = &self.budget else { return Ok(Ok(None)) };
        Ok(match self.grant(id).await? {
            Some(0) => Err(needs_person(format!(
                "the budget {id} is used up: raise it, then resume the loop"
            ))),
            Some(micro_usd) => Ok(Some(micro_usd)),
            None => {
                Err(needs_person(format!("there is no budget {id}: set one, then resume the loop")))
            }
        })
    }

    /// Until when no loop of the account may call, if that is still to come.
    async fn rests_until(&self) -> anyhow::Result<Option<i64>> {
        let rest = self.client.get_workflow_handle::<AccountRun>(account::id(&self.account));
        let found = match rest.describe(WorkflowDescribeOptions::default()).await {
            Ok(found) => found,
            Err(WorkflowInteractionError::NotFound(_)) => return Ok(None),
            Err(error) => return Err(error).context("cannot ask whether the account rests"),
        };
        if found.status() != WorkflowExecutionStatus::Running {
            return Ok(None);
        }
        let until = found
            .memo()
            .get::<i64>(account::UNTIL)
            .context("cannot read how long the account rests")?;
        Ok(until.filter(|until| *until > now_ms()))
    }

    async fn grant(&self, id: &str) -> anyhow::Result<Option<u64>> {
        let ask = GrantAsk {
            key: self.key.clone(),
            stint: self.stint,
            wanted_micro_usd: self.wanted_micro_usd,
        };
        let budget = self.client.get_workflow_handle::<BudgetRun>(id);
        let asked =
            budget.execute_update(BudgetRun::grant, ask, WorkflowExecuteUpdateOptions::default());
        match tokio::time::timeout(PATIENCE, asked).await {
            Ok(Ok(micro_usd)) => Ok(Some(micro_usd)),
            Ok(Err(WorkflowUpdateError::NotFound(_))) => Ok(None),
            Ok(Err(error)) => Err(error).with_context(|| format!("cannot ask the budget {id}")),
            Err(late) => Err(late)
                .with_context(|| format!("the budget {id} does not answer: is a brain up?")),
        }
    }

    /// Settles, and says that the account's limit was met. A stint that gave no report may have spent something: the
    /// next one of its loop settles that too.
    pub(super) async fn close(
        &self,
        ended: &Result<StintReport, Lost>,
        is_limited: bool,
    ) -> anyhow::Result<()> {
        let Ok(report) = ended else { return Ok(()) };
        if let StintEnd::Wait { until_ms } = report.end
            && is_limited
        {
            self.say_limited(until_ms).await?;
        }
        let Some(id) = &self.budget else { return Ok(()) };
        let spent_micro_usd = report.cost_micro_usd.saturating_sub(self.spent_micro_usd);
        let done = Settlement { key: self.key.clone(), stint: self.stint, spent_micro_usd };
        let budget = self.client.get_workflow_handle::<BudgetRun>(id.clone());
        let said = budget.signal(BudgetRun::settle, done, WorkflowSignalOptions::default()).await;
        said.with_context(|| format!("cannot settle with the budget {id}"))
    }

    async fn say_limited(&self, until_ms: i64) -> anyhow::Result<()> {
        let options = WorkflowUpdateWithStartOptions::new(
            BRAIN_QUEUE,
            account::id(&self.account),
            WorkflowIdConflictPolicy::UseExisting,
        )
        .build();
        let (run, said) = (AccountRun::run, AccountRun::limited);
        let account = self.account.clone();
        let told =
            self.client.execute_update_with_start_workflow(run, account, said, until_ms, options);
        tokio::time::timeout(PATIENCE, told)
            .await
            .context("nobody hears that the account's limit was met: is a brain up?")?
            .context("cannot say that the account's limit was met")?;
        Ok(())
    }
}

fn needs_person(why: String) -> StintEnd {
    StintEnd::NeedsPerson { why }
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
