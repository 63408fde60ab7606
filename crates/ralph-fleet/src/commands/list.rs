//! `ralph fleet list`: the loops that the server knows, by what they said of themselves at their last stint's end.

use std::{
    collections::BTreeSet,
    time::{SystemTime, UNIX_EPOCH},
};

use clap::ValueEnum as _;
use futures::{StreamExt as _, TryStreamExt as _, future::ready};
use serde_json::{Value, json};
use temporalio_client::{Client, WorkflowExecution, WorkflowExecutionStatus, WorkflowListOptions};

use super::{
    context::Context,
    reach::{self, Reached},
};
use crate::{
    cli::{ListArgs, State},
    error::{CommandError, exit},
    print,
    search_attributes::{ACCOUNT, COST, DONE, QUEUED, STATE, TASKS, TENANT, WORKING},
    wire::LOOP,
};

/// So many loops are looked at more closely at once.
const AT_ONCE: usize = 16;

/// Runs `ralph fleet list`.
pub(super) async fn exec(args: &ListArgs, context: &Context) -> Result<u8, CommandError> {
    let client = context.client().await?;
    let mut known = BTreeSet::new();
    // The newest first: a loop that was started again is as it is now.
    let found: Vec<Found> = client
        .list_workflows(query(args)?, WorkflowListOptions::default())
        .map_err(|error| CommandError::server("cannot list loops", &error))
        .try_filter(|one| ready(known.insert(one.id().to_owned())))
        .map_ok(|one| look_closer(&client, one))
        .try_buffered(AT_ONCE)
        .try_filter(|one| ready(is_wanted(args.state, one)))
        .take(args.limit.into())
        .try_collect()
        .await?;
    if context.printer.is_json {
        let loops: Vec<Value> = found.iter().map(as_json).collect();
        print::answer_json(&json!({ "v": 1, "loops": loops }))?;
    } else if found.is_empty() {
        let hint = "; ralph fleet list --all includes those that have ended";
        let more = if ends_too(args) { "" } else { hint };
        print::note(&format!("no loops found{more}"))?;
    } else {
        let rows = std::iter::once(
            ["STATE", "TASKS", "COST", "TENANT", "ACCOUNT", "SINCE", "LOOP"]
                .map(str::to_owned)
                .to_vec(),
        );
        print::answer_table(&rows.chain(found.iter().map(row)).collect::<Vec<_>>())?;
    }
    Ok(exit::DONE)
}

/// A loop that is listed, and how it is.
struct Found {
    known: WorkflowExecution,
    state: String,
}

/// A loop says that it is worked on when a stint begins, and cannot say that its host is gone: the server knows.
async fn look_closer(client: &Client, known: WorkflowExecution) -> Result<Found, CommandError> {
    let mut state = state(&known);
    if state == WORKING && is_running(&known) {
        let seen = Reached::new(client, known.id()).look().await?;
        if !seen.as_ref().is_some_and(reach::is_held) {
            QUEUED.clone_into(&mut state);
        }
    }
    Ok(Found { known, state })
}

/// What is asked of the server. Values are quoted, and those that could leave the quotes are refused.
fn query(args: &ListArgs) -> Result<String, CommandError> {
    let mut parts = vec![format!("WorkflowType = '{LOOP}'")];
    if !ends_too(args) {
        parts.push("ExecutionStatus = 'Running'".into());
    }
    // How a loop ended is seen only by its newest start.
    match args.state.filter(|_| !ends_too(args)) {
        // It may have been worked on before its host was gone.
        Some(State::Queued) => {
            parts.push(format!("RalphState IN ('{QUEUED}', '{WORKING}')"));
        }
        state => parts.extend(state.and_then(word).map(|word| format!("RalphState = '{word}'"))),
    }
    let wanted = [("RalphTenant", &args.tenant), ("RalphAccount", &args.account)];
    for (name, value) in wanted {
        let Some(value) = value else { continue };
        if value.contains(['\'', '"', '\\']) {
            return Err(CommandError::usage(
                format!("{value:?} contains a quotation mark or a backslash"),
                "remove it",
            ));
        }
        parts.push(format!("{name} = '{value}'"));
    }
    Ok(parts.join(" AND "))
}

/// Whether loops that have ended are asked for.
fn ends_too(args: &ListArgs) -> bool {
    args.all || matches!(args.state, Some(State::Finished | State::Unfinished))
}

fn is_wanted(wanted: Option<State>, found: &Found) -> bool {
    match wanted {
        None => true,
        Some(State::Unfinished) => !is_running(&found.known) && found.state != "finished",
        Some(wanted) => word(wanted).as_ref() == Some(&found.state),
    }
}

fn is_running(known: &WorkflowExecution) -> bool {
    known.status() == WorkflowExecutionStatus::Running
}

fn word(state: State) -> Option<String> {
    state.to_possible_value().map(|value| value.get_name().to_owned())
}

/// The state as people know it: the loop's own word while it runs, the server's once it has ended.
fn state(known: &WorkflowExecution) -> String {
    let own = known.search_attributes().get(&STATE);
    match known.status() {
        WorkflowExecutionStatus::Running | WorkflowExecutionStatus::Completed => {
            own.unwrap_or_else(|| "unknown".into())
        }
        WorkflowExecutionStatus::Failed => "given_up".into(),
        WorkflowExecutionStatus::Canceled => "cancelled".into(),
        WorkflowExecutionStatus::Terminated => "terminated".into(),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn as_json(Found { known, state }: &Found) -> Value {
    let attributes = known.search_attributes();
    json!({
        "loop": known.id(),
        "state": state,
        "tenant": attributes.get(&TENANT),
        "account": attributes.get(&ACCOUNT),
        "done": attributes.get(&DONE),
        "tasks": attributes.get(&TASKS),
        "cost_micro_usd": attributes.get(&COST),
        "started_ms": known.start_time().and_then(since_epoch_ms),
        "ended_ms": known.close_time().and_then(since_epoch_ms),
    })
}

fn row(Found { known, state }: &Found) -> Vec<String> {
    let attributes = known.search_attributes();
    let tasks = match (attributes.get(&DONE), attributes.get(&TASKS)) {
        (Some(done), Some(tasks)) => format!("{done}/{tasks}"),
        _ => "-".into(),
    };
    let cost = attributes.get(&COST).and_then(dollars).unwrap_or_else(|| "-".into());
    let age = known.start_time().and_then(|began| began.elapsed().ok()).map_or("-".into(), age);
    let name = |found: Option<String>| found.unwrap_or_else(|| "-".into());
    let (tenant, account) = (name(attributes.get(&TENANT)), name(attributes.get(&ACCOUNT)));
    vec![state.clone(), tasks, cost, tenant, account, age, known.id().to_owned()]
}

fn since_epoch_ms(time: SystemTime) -> Option<u64> {
    u64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

/// Millionths of a dollar as dollars and cents. An agent that does not say what it costs leaves nothing to tell.
pub(super) fn dollars(micro: i64) -> Option<String> {
    let cents = micro.max(0).saturating_add(5_000) / 10_000;
    (micro > 0).then(|| format!("${}.{:02}", cents / 100, cents % 100))
}

/// A length of time in its largest unit.
fn age(length: std::time::Duration) -> String {
    match length.as_secs() {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3_600 => format!("{}m", seconds / 60),
        seconds @ 3_600..86_400 => format!("{}h", seconds / 3_600),
        seconds => format!("{}d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn queries_name_the_type_and_keep_values_in_their_quotes() {
        let mut args = ListArgs { tenant: None, account: None, state: None, all: false, limit: 1 };
        assert_eq!(
            query(&args).unwrap(),
            "WorkflowType = 'ralph.loop.v1' AND ExecutionStatus = 'Running'"
        );
        (args.all, args.tenant) = (true, Some("a".into()));
        assert_eq!(query(&args).unwrap(), "WorkflowType = 'ralph.loop.v1' AND RalphTenant = 'a'");
        (args.all, args.state) = (false, Some(State::Finished));
        let finished = query(&args).unwrap();
        assert_eq!(finished, "WorkflowType = 'ralph.loop.v1' AND RalphTenant = 'a'");
        args.state = Some(State::Waiting);
        let waiting = query(&args).unwrap();
        assert!(waiting.ends_with("'Running' AND RalphState = 'waiting' AND RalphTenant = 'a'"));
        args.state = Some(State::Queued);
        assert!(query(&args).unwrap().contains("RalphState IN ('queued', 'working') AND"));
        args.account = Some("x' OR RalphState = 'y".into());
        assert!(query(&args).is_err());
    }

    #[test]
    fn money_and_time_are_shown_as_people_say_them() {
        assert_eq!(
            [-1, 0, 4_999, 5_000, 12_345_678].map(dollars),
            [None, None, Some("$0.00"), Some("$0.01"), Some("$12.35")]
                .map(|cost| cost.map(str::to_owned))
        );
        assert_eq!(
            [59, 60, 7_200, 200_000].map(|s| age(Duration::from_secs(s))),
            ["59s", "1m", "2h", "2d"]
        );
    }
}
