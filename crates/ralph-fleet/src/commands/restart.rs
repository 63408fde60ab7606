//! Starts the workflow of a loop: for the first time, or again where its truth is.

use serde_json::json;
use temporalio_client::{
    Client, Priority, WorkflowFetchHistoryOptions, WorkflowIdConflictPolicy, WorkflowIdReusePolicy,
    WorkflowStartOptions, errors::WorkflowStartError,
};
use temporalio_common::{
    protos::temporal::api::history::v1::history_event::Attributes,
    search_attributes::SearchAttributes,
};

use super::{
    context::Context,
    reach::{LoopFlow, Reached, taken},
};
use crate::{
    error::{CommandError, exit},
    print, search_attributes,
    wire::{BRAIN_QUEUE, Carry, LoopInput, StintEnd, StintReport},
    workflow::{is_pause, is_stop},
};

/// Starts a loop that has ended again; its truth says where it goes on.
pub(super) async fn exec(reached: &Reached, context: &Context) -> Result<u8, CommandError> {
    let Some(status) = reached.status().await? else {
        let help = "start one with ralph fleet worker --role brain, then try again";
        return Err(CommandError::usage(format!("no brain answers for {}", reached.id), help));
    };
    // As after a wait for a person that is over: what was tried in vain may be tried again.
    let why = || StintEnd::NeedsPerson { why: "resumed by a person".into() };
    let last = status.last.map(|last| StintReport { end: why(), ..last });
    // Without a report, what the run had cost before is known from the start alone.
    let before = if last.is_none() { input(reached).await?.carry } else { Carry::default() };
    let carry = Carry {
        stints: status.stints,
        // What ended it was obeyed, and what would hold it is over.
        wishes: status
            .pending
            .into_iter()
            .filter(|wish| !is_stop(wish) && !is_pause(wish))
            .collect(),
        told: true,
        by_person: true,
        iterations_before: before.iterations_before,
        cost_before_micro_usd: before.cost_before_micro_usd,
        last,
        kept: status.kept,
        ..Carry::default()
    };
    let client = context.client().await?;
    if !start(&client, &reached.id, LoopInput { spec: status.spec, carry }).await? {
        return Err(taken(&reached.id));
    }
    if context.printer.is_json {
        print::answer_json(&json!({ "v": 1, "loop": reached.id, "started": true }))?;
    } else {
        context.printer.done(&format!("{} continues from its truth", reached.id))?;
    }
    Ok(exit::DONE)
}

/// What the loop was given when it was last started.
pub(super) async fn input(reached: &Reached) -> Result<LoopInput, CommandError> {
    let history = reached.handle.fetch_history(WorkflowFetchHistoryOptions::default());
    let what = || format!("cannot read how {} was started", reached.id);
    let events =
        history.into_events().await.map_err(|error| CommandError::server(what(), &error))?;
    let began = events.into_iter().find_map(|event| match event.attributes {
        Some(Attributes::WorkflowExecutionStartedEventAttributes(began)) => began.input,
        _ => None,
    });
    let payload = began.and_then(|input| input.payloads.into_iter().next());
    let input = payload.and_then(|payload| serde_json::from_slice(&payload.data).ok());
    input.ok_or_else(|| CommandError::usage(what(), "submit it again with ralph fleet submit"))
}

/// Starts the workflow; false if one of this name runs already.
pub(super) async fn start(
    client: &Client,
    id: &str,
    input: LoopInput,
) -> Result<bool, CommandError> {
    let spec = &input.spec;
    let options = WorkflowStartOptions::new(BRAIN_QUEUE, id)
        .id_reuse_policy(WorkflowIdReusePolicy::AllowDuplicate)
        .id_conflict_policy(WorkflowIdConflictPolicy::Fail)
        .priority(Priority::builder().fairness_key(spec.tenant.clone()).build())
        .search_attributes(SearchAttributes::new(search_attributes::at_start(spec)))
        .static_summary(format!("{} {}", spec.repo, spec.branch))
        .build();
    match client.start_workflow(LoopFlow, input, options).await {
        Ok(_) => Ok(true),
        Err(WorkflowStartError::AlreadyStarted { .. }) => Ok(false),
        Err(error) => {
            let error = CommandError::server(format!("cannot start {id}"), &error);
            let lacks = error.why().iter().any(|line| line.contains("search attribute"));
            let help = if lacks {
                "ralph fleet doctor --fix creates the search attributes that the server lacks"
            } else {
                "ralph fleet doctor checks the server"
            };
            Err(error.advising(help))
        }
    }
}
