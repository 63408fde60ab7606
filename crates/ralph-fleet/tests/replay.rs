//! Histories of real runs, replayed: loops that began with an older ralph must go on with this one. A history that no
//! longer replays needs `ralph.loop.v2` beside v1, never a new recording. New ones: `RECORD_HISTORIES=1` and
//! `worker_loop`, or `worker_stint` for accounts and budgets.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{fs, path::PathBuf, time::Duration};

use ralph_fleet::{
    hands::Hands,
    search_attributes::at_stint_end,
    wire::{Carry, LoopEnd, LoopInput, StintInput, account_queue},
    workflow::{account::AccountRun, budget::BudgetRun, looping::LoopRun},
};
use temporalio_client::WorkflowHistory;
use temporalio_macros::{workflow, workflow_methods};
use temporalio_sdk::{
    ActivityOptions, WorkflowContext, WorkflowContextView, WorkflowResult,
    workflow_replayer::{WorkflowReplayer, WorkflowReplayerOptions},
};

fn histories() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/histories"))
}

fn history(name: &str) -> WorkflowHistory {
    let json = fs::read(histories().join(name)).unwrap();
    WorkflowHistory::from_json(&json).unwrap()
}

#[tokio::test]
async fn every_recorded_history_replays() {
    let options = WorkflowReplayerOptions::new()
        .register_workflow::<LoopRun>()
        .unwrap()
        .register_workflow::<AccountRun>()
        .unwrap()
        .register_workflow::<BudgetRun>()
        .unwrap()
        .build();
    let replayer = WorkflowReplayer::new(options).unwrap();
    let mut names: Vec<String> = fs::read_dir(histories())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    for needed in [
        "one_stint",
        "three_stints",
        "wait",
        "question",
        "cancel",
        "attend",
        "continue_as_new",
        "account",
        "budget",
    ] {
        assert!(names.contains(&format!("{needed}.json")), "{needed} is not recorded");
    }
    for name in names {
        let outcome = replayer.replay_workflow(history(&name)).await;
        assert!(outcome.is_ok(), "{name}: {outcome:?}");
    }
}

/// What the loop does in a single stint, in one of two wrong ways.
async fn stint_and_end<W: 'static>(
    ctx: &WorkflowContext<W>,
    input: LoopInput,
    shows_before: bool,
) -> WorkflowResult<LoopEnd> {
    let queue = account_queue(&input.spec.account);
    let given = StintInput {
        spec: input.spec,
        key: ctx.workflow_id().to_owned(),
        stint: 1,
        wishes: Vec::new(),
        iterations: 0,
        spent_micro_usd: 0,
        by_person: false,
    };
    let options = ActivityOptions::with_start_to_close_timeout(Duration::from_secs(9))
        .task_queue(queue)
        .build();
    if shows_before {
        ctx.upsert_search_attributes([ralph_fleet::search_attributes::DONE.value_set(3)]);
    }
    let report = ctx.execute_activity(Hands::stint, given, options).await?;
    if shows_before {
        ctx.upsert_search_attributes(at_stint_end(&report));
    }
    let (done, tasks) = (report.done, report.tasks);
    let end = LoopEnd { outcome: "done".into(), stints: 1, ..LoopEnd::default() };
    Ok(LoopEnd { iterations: done, done, tasks, ..end })
}

macro_rules! wrong_loop {
    ($name:ident, $shows_before:literal) => {
        #[workflow]
        struct $name {
            input: LoopInput,
        }

        #[workflow_methods]
        impl $name {
            #[init]
            fn new(_ctx: &WorkflowContextView, input: LoopInput) -> Self {
                Self { input }
            }

            #[run(name = "ralph.loop.v1")]
            async fn run(ctx: &mut WorkflowContext<Self>) -> WorkflowResult<LoopEnd> {
                let input = ctx
                    .state(|s| LoopInput { spec: s.input.spec.clone(), carry: Carry::default() });
                stint_and_end(ctx, input, $shows_before).await
            }

            #[signal(name = "placed")]
            fn placed(
                &mut self,
                _ctx: &mut temporalio_sdk::SyncWorkflowContext<Self>,
                _placed: ralph_fleet::wire::Placed,
            ) {
            }
        }
    };
}

wrong_loop!(ShowsNothing, false);
wrong_loop!(ShowsTooEarly, true);

async fn said_of(replayer: Result<WorkflowReplayer, impl std::fmt::Debug>) -> String {
    let refused = replayer.unwrap().replay_workflow(history("one_stint.json")).await;
    refused.unwrap_err().to_string()
}

#[tokio::test]
async fn a_removed_upsert_is_caught() {
    let options =
        WorkflowReplayerOptions::new().register_workflow::<ShowsNothing>().unwrap().build();
    let said = said_of(WorkflowReplayer::new(options)).await;
    assert!(said.contains("nondeterministic"), "{said}");
}

#[tokio::test]
async fn a_command_at_another_place_is_caught() {
    let options =
        WorkflowReplayerOptions::new().register_workflow::<ShowsTooEarly>().unwrap().build();
    let said = said_of(WorkflowReplayer::new(options)).await;
    assert!(said.contains("nondeterministic"), "{said}");
}
