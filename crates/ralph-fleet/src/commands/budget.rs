//! `ralph fleet budget`: what a tenant may spend in a month, and what is left of it.

use serde_json::json;
use temporalio_client::{
    WorkflowIdConflictPolicy, WorkflowQueryOptions, WorkflowUpdateWithStartOptions,
    errors::WorkflowQueryError,
};

use super::context::Context;
use crate::{
    cli::BudgetArgs,
    error::{CommandError, exit},
    hands::{month, now_ms},
    print,
    wire::BRAIN_QUEUE,
    workflow::budget::{self, BudgetRun, Ledger},
};

const MICRO: f64 = 1e6;

/// Runs `ralph fleet budget`.
pub(super) async fn exec(args: &BudgetArgs, context: &Context) -> Result<u8, CommandError> {
    let id = budget::id(&args.tenant, &args.month.clone().unwrap_or_else(|| month(now_ms())));
    let client = context.client().await?;
    if let Some(usd) = args.usd {
        let policy = WorkflowIdConflictPolicy::UseExisting;
        let options = WorkflowUpdateWithStartOptions::new(BRAIN_QUEUE, id.clone(), policy).build();
        let (run, limit) = (BudgetRun::run, BudgetRun::limit);
        let set = client.execute_update_with_start_workflow(
            run,
            Ledger::default(),
            limit,
            micro_usd(usd)?,
            options,
        );
        set.await.map_err(|error| CommandError::server(format!("cannot set {id}"), &error))?;
    }
    let own = client.get_workflow_handle::<BudgetRun>(id.clone());
    match own.query(BudgetRun::ledger, (), WorkflowQueryOptions::default()).await {
        Ok(ledger) => show(&id, &ledger, context),
        Err(WorkflowQueryError::NotFound(_)) => Err(CommandError::usage(
            format!("there is no {id}"),
            match &args.month {
                Some(month) => {
                    format!(
                        "set it with ralph fleet budget {} --month {month} --usd AMOUNT",
                        args.tenant
                    )
                }
                None => format!("set it with ralph fleet budget {} --usd AMOUNT", args.tenant),
            },
        )),
        Err(error) => Err(CommandError::server(format!("cannot read {id}"), &error)),
    }
}

fn show(id: &str, ledger: &Ledger, context: &Context) -> Result<u8, CommandError> {
    let (limit, spent, left) = (ledger.limit_micro_usd, ledger.spent_micro_usd, ledger.left());
    if context.printer.is_json {
        print::answer_json(&json!({
            "v": 1, "budget": id,
            "limit_micro_usd": limit, "spent_micro_usd": spent, "left_micro_usd": left,
        }))?;
    } else {
        let [limit, spent, left] = [limit, spent, left].map(usd);
        print::answer(&format!("{id}: ${limit}, ${spent} spent, ${left} available"))?;
    }
    Ok(exit::DONE)
}

fn usd(micro: u64) -> String {
    format!("{}.{:02}", micro / 1_000_000, micro % 1_000_000 / 10_000)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is neither negative nor as large as that"
)]
fn micro_usd(usd: f64) -> Result<u64, CommandError> {
    if (0.0..=1e9).contains(&usd) {
        return Ok((usd * MICRO).round() as u64);
    }
    let help = "write dollars, such as 500 or 12.50";
    Err(CommandError::usage(format!("{usd} is not a valid amount"), help))
}
