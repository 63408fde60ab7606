//! A tenant's budget of one month. Stints ask it for money before they begin and settle when they end; it never grants
//! more than is left. Overshoot is what the calls under way cost beyond their grant.

use std::time::Duration;

use temporalio_macros::{workflow, workflow_methods};
use temporalio_sdk::{
    ContinueAsNewOptions, SyncWorkflowContext, WorkflowContext, WorkflowContextView,
    WorkflowResult, workflows::select,
};

pub use super::ledger::Ledger;
use crate::wire::{GrantAsk, Settlement};

/// Its month, and the time in which late stints settle.
const LIFE: Duration = Duration::from_hours(62 * 24);

/// The id of a tenant's budget of a month such as `2026-11`.
pub fn id(tenant: &str, month: &str) -> String {
    format!("budget/{tenant}/{month}")
}

/// One budget.
#[workflow]
pub struct BudgetRun {
    ledger: Ledger,
}

#[workflow_methods]
impl BudgetRun {
    #[init]
    fn new(_ctx: &WorkflowContextView, ledger: Ledger) -> Self {
        Self { ledger }
    }

    #[run(name = "ralph.budget.v1")]
    pub async fn run(ctx: &mut WorkflowContext<Self>) -> WorkflowResult<Ledger> {
        let watched = ctx.clone();
        let mut over = Box::pin(ctx.timer(LIFE));
        let mut long = Box::pin(ctx.wait_condition(move |_| watched.continue_as_new_suggested()));
        select! {
            _ = over => return Ok(ctx.state(|s| s.ledger.clone())),
            told = long => told?,
        }
        let ledger = ctx.state(|s| s.ledger.clone());
        ctx.continue_as_new(ledger, ContinueAsNewOptions::default())?;
        Ok(Ledger::default())
    }

    /// What the stint may spend, in millionths of a dollar.
    #[update(name = "grant")]
    pub fn grant(&mut self, _ctx: &mut SyncWorkflowContext<Self>, ask: GrantAsk) -> u64 {
        self.ledger.grant(ask)
    }

    #[signal(name = "settle")]
    pub fn settle(&mut self, _ctx: &mut SyncWorkflowContext<Self>, done: Settlement) {
        self.ledger.settle(done);
    }

    /// Sets what the tenant may spend in the month; answers what is left of it.
    #[update(name = "limit")]
    pub fn limit(&mut self, _ctx: &mut SyncWorkflowContext<Self>, micro_usd: u64) -> u64 {
        self.ledger.limit_micro_usd = micro_usd;
        self.ledger.left()
    }

    #[query(name = "ledger")]
    pub fn ledger(&self, _ctx: &WorkflowContextView) -> Ledger {
        self.ledger.clone()
    }
}
