//! How many loops the engine carries, beside the same number of the smallest workflow there is. No stint does any work,
//! so what is measured is the engine and the loop.

use std::{
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use futures::{StreamExt as _, TryStreamExt as _, stream};
use temporalio_client::{
    Client, WorkflowGetResultOptions, WorkflowSignalOptions, WorkflowStartOptions,
};
use temporalio_common::error::ApplicationFailure;
use temporalio_macros::{activities, workflow, workflow_methods};
use temporalio_sdk::{
    ActivityOptions, Runtime, Worker, WorkerOptions, WorkflowContext, WorkflowResult,
    activities::{ActivityContext, ActivityError},
    runtime::RuntimeOptions,
};

use crate::{
    hands::Hands,
    wire::{
        Carry, Limits, LoopInput, LoopSpec, Placed, StintEnd, StintInput, StintReport, Times,
        account_queue,
    },
    workflow::looping::LoopRun,
};

/// Queues of its own.
const ACCOUNT: &str = "__bench";

/// The branch of loops whose stints say where they are.
const REACHED: &str = "reached";

/// Hands that are done at once, so that nobody need reach them.
struct Idle;

#[activities]
impl Idle {
    #[activity(name = "ralph.stint.v1")]
    async fn stint(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: StintInput,
    ) -> Result<StintReport, ActivityError> {
        let own = ctx.workflow_handle::<LoopRun>().filter(|_| input.spec.branch == REACHED);
        if let Some(own) = own {
            let placed = Placed { stint: input.stint, queue: ACCOUNT.to_owned() };
            let said = own.signal(LoopRun::placed, placed, WorkflowSignalOptions::default()).await;
            said.map_err(ApplicationFailure::new)?;
        }
        let end = StintEnd::Finished { outcome: "done".to_owned(), exit: 0 };
        Ok(StintReport {
            done: 1,
            tasks: 1,
            iterations: 1,
            truth: "none".to_owned(),
            warm: true,
            idle: false,
            ..StintReport::idle(end, ACCOUNT)
        })
    }

    #[activity(name = "ralph.nothing.v1")]
    #[expect(clippy::unused_async, reason = "an activity that does nothing is the point")]
    async fn nothing(
        self: Arc<Self>,
        _ctx: ActivityContext,
        input: u32,
    ) -> Result<u32, ActivityError> {
        Ok(input)
    }
}

/// The smallest workflow: one activity that does nothing.
#[workflow]
#[derive(Default)]
struct Trivial;

#[workflow_methods]
impl Trivial {
    #[run(name = "ralph.trivial.v1")]
    async fn run(ctx: &mut WorkflowContext<Self>, input: u32) -> WorkflowResult<u32> {
        let options = ActivityOptions::with_start_to_close_timeout(Duration::from_mins(1))
            .task_queue(account_queue(ACCOUNT))
            .build();
        Ok(ctx.execute_activity(Idle::nothing, input, options).await?)
    }
}

/// How many, and how many at once.
pub struct Load {
    pub loops: u32,
    pub at_once: usize,
}

/// What was carried, per second.
pub struct Figures {
    pub loops_per_second: f64,
    /// Whose stints say where they are, as those do that last.
    pub reached_per_second: f64,
    pub trivial_per_second: f64,
}

/// Measures both kinds in turns on one server, with one worker of its own.
pub async fn run(client: Client, load: &Load) -> anyhow::Result<Figures> {
    anyhow::ensure!(Idle::stint.name() == Hands::stint.name(), "the loop would ask other hands");
    let runtime = Runtime::from_current_tokio(RuntimeOptions::default())?;
    let brain = WorkerOptions::new(ACCOUNT)
        .register_workflow::<LoopRun>()?
        .register_workflow::<Trivial>()?
        .build();
    let hands = WorkerOptions::new(account_queue(ACCOUNT)).register_activities(Idle).build();
    let mut brain = Worker::new(&runtime, client.clone(), brain)?;
    let mut hands = Worker::new(&runtime, client.clone(), hands)?;
    let (stop_brain, stop_hands) = (brain.shutdown_handle(), hands.shutdown_handle());
    let measured = async {
        let figures = in_turns(&client, load).await;
        stop_brain();
        stop_hands();
        figures
    };
    let (figures, brained, handed) = tokio::join!(measured, brain.run(), hands.run());
    brained?;
    handed?;
    figures
}

/// Each kind twice, so that none has the warmer server.
async fn in_turns(client: &Client, load: &Load) -> anyhow::Result<Figures> {
    let mut took = [Duration::ZERO; 3];
    for _ in 0..2 {
        for (took, branch) in took.iter_mut().zip([None, Some("none"), Some(REACHED)]) {
            *took += timed(client, load, branch).await?;
        }
    }
    let per_second = took.map(|took| f64::from(2 * load.loops) / took.as_secs_f64());
    let [trivial_per_second, loops_per_second, reached_per_second] = per_second;
    Ok(Figures { loops_per_second, reached_per_second, trivial_per_second })
}

/// How long so many loops on this branch take; without one, so many of the smallest workflow.
async fn timed(client: &Client, load: &Load, branch: Option<&str>) -> anyhow::Result<Duration> {
    let tag = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let began = Instant::now();
    stream::iter(0..load.loops)
        .map(|number| async move {
            let options =
                WorkflowStartOptions::new(ACCOUNT, format!("__bench/{tag}/{number}")).build();
            let result = WorkflowGetResultOptions::default();
            if let Some(branch) = branch {
                client
                    .start_workflow(LoopRun::run, input(branch), options)
                    .await?
                    .get_result(result)
                    .await?;
            } else {
                client
                    .start_workflow(Trivial::run, number, options)
                    .await?
                    .get_result(result)
                    .await?;
            }
            anyhow::Ok(())
        })
        .buffer_unordered(load.at_once)
        .try_collect::<()>()
        .await?;
    Ok(began.elapsed())
}

fn input(branch: &str) -> LoopInput {
    let spec = LoopSpec {
        repo: "none".to_owned(),
        branch: branch.to_owned(),
        tenant: ACCOUNT.to_owned(),
        account: ACCOUNT.to_owned(),
        submission: String::new(),
        limits: Limits::default(),
        times: Times::default(),
    };
    LoopInput { spec, carry: Carry::default() }
}
