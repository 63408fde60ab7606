//! What a stint asks before it begins and says when it has ended: whether its account rests, and the money of its
//! tenant.

use std::time::Duration;

use anyhow::Context as _;
use temporalio_client::{
    Client, WorkflowExecuteUpdateOptions, WorkflowSignalOptions, errors::WorkflowUpdateError,
};

use super::{
    month::{month, now_ms},
    rest,
};
use crate::{
    error::is_away,
    stint::Lost,
    wire::{GrantAsk, Settlement, StintEnd, StintInput, StintReport},
    workflow::budget::{self, BudgetRun},
};

/// A brain that is up answers sooner.
const PATIENCE: Duration = Duration::from_secs(10);

/// The pause before a settlement is said again; it doubles each time, up to the longest.
const AGAIN: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);

/// What came out when a stint ended.
pub(super) enum Closed {
    Settled,
    /// The account's limit was met: it rests.
    Limited,
}

/// The purse of one stint.
pub(super) struct Purse {
    client: Client,
    key: String,
    submission: String,
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
            submission: input.spec.submission.clone(),
            stint: input.stint,
            account: input.spec.account.clone(),
            budget: limits.budget.as_deref().map(budget_id),
            wanted_micro_usd: limits.money_per_stint_micro_usd,
            spent_micro_usd: input.spent_micro_usd,
        }
    }

    /// How much the stint may spend, if anything bounds it; or how its loop goes on without it.
    pub(super) async fn open(&self) -> anyhow::Result<Result<Option<u64>, StintEnd>> {
        if let Some(until_ms) = rest::until(&self.client, &self.account).await? {
            return Ok(Err(StintEnd::Wait { until_ms }));
        }
        let Some(id) = &self.budget else { return Ok(Ok(None)) };
        Ok(match self.grant(id).await? {
            Some(0) => Err(needs_person(format!(
                "the budget {id} is used up: raise it with ralph fleet budget, then run ralph fleet resume {}",
                self.key
            ))),
            Some(micro_usd) => Ok(Some(micro_usd)),
            None => Err(needs_person(format!(
                "there is no budget {id}: set it with ralph fleet budget, then run ralph fleet resume {}",
                self.key
            ))),
        })
    }

    async fn grant(&self, id: &str) -> anyhow::Result<Option<u64>> {
        let ask = GrantAsk {
            key: self.key.clone(),
            submission: self.submission.clone(),
            stint: self.stint,
            wanted_micro_usd: self.wanted_micro_usd,
        };
        let budget = self.client.get_workflow_handle::<BudgetRun>(id);
        let asked =
            budget.execute_update(BudgetRun::grant, ask, WorkflowExecuteUpdateOptions::default());
        match tokio::time::timeout(PATIENCE, asked).await {
            Ok(Ok(micro_usd)) => Ok(Some(micro_usd)),
            Ok(Err(WorkflowUpdateError::NotFound(_))) => Ok(None),
            Ok(Err(error)) => Err(error).with_context(|| format!("cannot query the budget {id}")),
            Err(late) => Err(late)
                .with_context(|| format!("the budget {id} does not answer: is a brain running?")),
        }
    }

    /// Settles, and says that the account's limit was met. A stint that gave no report may have spent something: the
    /// next one of its loop settles that too.
    pub(super) async fn close(
        &self,
        ended: &Result<StintReport, Lost>,
        is_limited: bool,
        is_leaving: impl Fn() -> bool,
    ) -> anyhow::Result<Closed> {
        let Ok(report) = ended else { return Ok(Closed::Settled) };
        if let Some(id) = &self.budget {
            self.settle(id, report, is_leaving).await?;
        }
        match report.end {
            StintEnd::Wait { until_ms } if is_limited => {
                rest::begin(&self.client, &self.account, until_ms).await?;
                Ok(Closed::Limited)
            }
            _ => Ok(Closed::Settled),
        }
    }

    /// Says it until the server is there to hear it. A worker that is to end tries once more.
    async fn settle(
        &self,
        id: &str,
        report: &StintReport,
        is_leaving: impl Fn() -> bool,
    ) -> anyhow::Result<()> {
        let done = Settlement {
            key: self.key.clone(),
            submission: self.submission.clone(),
            stint: self.stint,
            spent_micro_usd: report.cost_micro_usd.saturating_sub(self.spent_micro_usd),
            total_micro_usd: report.cost_micro_usd,
        };
        let budget = self.client.get_workflow_handle::<BudgetRun>(id);
        let mut pause = AGAIN;
        loop {
            let options = WorkflowSignalOptions::default();
            let error = match budget.signal(BudgetRun::settle, done.clone(), options).await {
                Ok(()) => return Ok(()),
                Err(error) => error,
            };
            if !is_away(&error) || is_leaving() {
                return Err(error).with_context(|| format!("cannot settle with the budget {id}"));
            }
            tokio::time::sleep(pause).await;
            pause = LONGEST.min(pause * 2);
        }
    }
}

/// A name alone is a tenant's: then each month has its own.
fn budget_id(name: &str) -> String {
    if name.starts_with("budget/") { name.to_owned() } else { budget::id(name, &month(now_ms())) }
}

fn needs_person(why: String) -> StintEnd {
    StintEnd::NeedsPerson { why }
}
