//! How many loops the engine carries, beside the same number of the smallest workflow there is. No stint does any work,
//! so what is measured is the engine and the loop.

use std::{
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use futures::{StreamExt as _, TryStreamExt as _, stream};
use temporalio_client::{Client, WorkflowGetResultOptions, WorkflowStartOptions};
use temporalio_macros::{activities, workflow, workflow_methods};
use temporalio_sdk::{
    ActivityOptions, Runtime, Worker, WorkerOptions, WorkflowContext, WorkflowResult,
    activities::{ActivityContext, ActivityError},
    runtime::RuntimeOptions,
};

use crate::{
    hands::Hands,
    wire::{
        Carry, Limits, LoopInput, LoopSpec, StintEnd, StintInput, StintReport, Times, account_queue,
    },
    workflow::looping::LoopRun,
};

/// Queues of its own.
const ACCOUNT: &str = "__bench";

/// Hands that are done at once, so that nobody need reach them.
struct Idle;

#[activities]
impl Idle {
    #[activity(name = "ralph.stint.v1")]
    #[expect(clippy::unused_async, reason = "an activity that does nothing is the point")]
    async fn stint(
        self: Arc<Self>,
        _ctx: ActivityContext,
        _input: StintInput,
    ) -> Result<StintReport, ActivityError> {
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

/// Each kind twice, so that neither has the warmer server.
async fn in_turns(client: &Client, load: &Load) -> anyhow::Result<Figures> {
    let (mut loops, mut trivial) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..2 {
        trivial += timed(client, load, false).await?;
        loops += timed(client, load, true).await?;
    }
    let per_second = |took: Duration| f64::from(2 * load.loops) / took.as_secs_f64();
    Ok(Figures { loops_per_second: per_second(loops), trivial_per_second: per_second(trivial) })
}

async fn timed(client: &Client, load: &Load, is_loop: bool) -> anyhow::Result<Duration> {
    let tag = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let began = Instant::now();
    stream::iter(0..load.loops)
        .map(|number| async move {
            let options =
                WorkflowStartOptions::new(ACCOUNT, format!("__bench/{tag}/{number}")).build();
            let result = WorkflowGetResultOptions::default();
            if is_loop {
                client
                    .start_workflow(LoopRun::run, input(), options)
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

fn input() -> LoopInput {
    let spec = LoopSpec {
        repo: "none".to_owned(),
        branch: "none".to_owned(),
        tenant: ACCOUNT.to_owned(),
        account: ACCOUNT.to_owned(),
        submission: String::new(),
        limits: Limits::default(),
        times: Times::default(),
    };
    LoopInput { spec, carry: Carry::default() }
}
