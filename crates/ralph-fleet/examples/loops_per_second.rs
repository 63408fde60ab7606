//! How many loops the engine carries, beside the same number of the smallest workflow there is: `loops_per_second 200`,
//! on the server that TEMPORAL_ADDRESS names. No stint does any work, so what is measured is the engine and the loop.

use std::{
    env,
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use futures::{StreamExt as _, TryStreamExt as _, stream};
use ralph_fleet::{
    hands::Hands,
    wire::{
        Carry, Limits, LoopInput, LoopSpec, Placed, StintEnd, StintInput, StintReport, Times,
        account_queue,
    },
    workflow::looping::LoopRun,
};
use temporalio_client::{
    Client, ClientOptions, Connection, ConnectionOptions, Url, WorkflowGetResultOptions,
    WorkflowSignalOptions, WorkflowStartOptions,
};
use temporalio_common::error::ApplicationFailure;
use temporalio_macros::{activities, workflow, workflow_methods};
use temporalio_sdk::{
    ActivityOptions, Runtime, Worker, WorkerOptions, WorkflowContext, WorkflowResult,
    activities::{ActivityContext, ActivityError},
    runtime::RuntimeOptions,
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

/// Loops at once.
const AT_ONCE: usize = 20;

/// What was carried, per second.
struct Figures {
    loops: f64,
    /// Whose stints say where they are, as those do that last.
    reached: f64,
    trivial: f64,
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "its figures are what it is for")]
async fn main() -> anyhow::Result<()> {
    let loops = env::args().nth(1).map_or(Ok(200), |text| text.parse())?;
    let address = format!("http://{}", env::var("TEMPORAL_ADDRESS")?);
    let connection = Connection::connect(ConnectionOptions::new(Url::parse(&address)?).build());
    let client = Client::new(connection.await?, ClientOptions::new("default").build())?;
    let Figures { loops, reached, trivial } = run(client, loops).await?;
    println!(
        "{loops:.1} loops/s, {trivial:.1} trivial workflows/s: {:.2}; {reached:.1} loops/s that report their host: {:.2}",
        loops / trivial,
        reached / trivial
    );
    Ok(())
}

/// Measures both kinds in turns on one server, with one worker of its own.
async fn run(client: Client, loops: u32) -> anyhow::Result<Figures> {
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
        let figures = in_turns(&client, loops).await;
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
async fn in_turns(client: &Client, loops: u32) -> anyhow::Result<Figures> {
    let mut took = [Duration::ZERO; 3];
    for _ in 0..2 {
        for (took, branch) in took.iter_mut().zip([None, Some("none"), Some(REACHED)]) {
            *took += timed(client, loops, branch).await?;
        }
    }
    let [trivial, loops, reached] = took.map(|took| f64::from(2 * loops) / took.as_secs_f64());
    Ok(Figures { loops, reached, trivial })
}

/// How long so many loops on this branch take; without one, so many of the smallest workflow.
async fn timed(client: &Client, loops: u32, branch: Option<&str>) -> anyhow::Result<Duration> {
    let tag = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let began = Instant::now();
    stream::iter(0..loops)
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
        .buffer_unordered(AT_ONCE)
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
