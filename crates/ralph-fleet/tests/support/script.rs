//! Hands that do what a script says, and the worker they are on.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    thread::JoinHandle,
    time::Duration,
};

use ralph_fleet::{
    hands::Hands,
    wire::{
        Attendance, Carry, Delivery, Limits, LoopInput, LoopSpec, Placed, StintEnd, StintInput,
        StintReport, Times, account_queue, host_queue,
    },
    workflow::looping::LoopRun,
};
use temporalio_client::{
    Client, WorkflowFetchHistoryOptions, WorkflowHandle, WorkflowHistory, WorkflowIdConflictPolicy,
    WorkflowSignalOptions, WorkflowStartOptions,
};
use temporalio_common::error::ApplicationFailure;
use temporalio_macros::activities;
use temporalio_sdk::{
    Runtime, Worker, WorkerOptions,
    activities::{ActivityContext, ActivityError},
    runtime::RuntimeOptions,
    workflow_replayer::{WorkflowReplayer, WorkflowReplayerOptions},
};

/// What a stint does.
#[derive(Clone)]
pub(crate) enum Act {
    Reports(StintReport),
    /// Reports when this many wishes were delivered, and names them.
    ReportsWhenTold(usize, StintReport),
    /// Reports `Finished` once it is asked to end.
    ReportsWhenStopped,
    Fails(&'static str),
    /// Says no more that it lives, and has this report for whoever asks.
    FallsSilent(Option<StintReport>),
}

/// A stint's report after so many iterations.
pub(crate) fn report(end: StintEnd, iterations: u32) -> StintReport {
    StintReport {
        end,
        done: iterations,
        tasks: 9,
        iterations,
        cost_micro_usd: u64::from(iterations) * 100,
        truth: "0a".into(),
        host: "scripted".into(),
        took_over: false,
        warm: true,
        delivered: Vec::new(),
        asks: Vec::new(),
        idle: false,
        kept: Vec::new(),
        weaker: Vec::new(),
    }
}

#[derive(Default)]
struct Seen {
    acts: VecDeque<Act>,
    stints: Vec<StintInput>,
    delivered: Vec<Delivery>,
    kept: Option<StintReport>,
}

/// A loop with scripted hands, under a name of its own.
pub(crate) struct Script {
    name: &'static str,
    client: Client,
    seen: Arc<Mutex<Seen>>,
    stops: Vec<Box<dyn Fn() + Send>>,
    workers: Vec<JoinHandle<()>>,
}

struct Scripted {
    host: String,
    seen: Arc<Mutex<Seen>>,
}

#[activities]
impl Scripted {
    #[activity(name = "ralph.stint.v1")]
    async fn stint(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: StintInput,
    ) -> Result<StintReport, ActivityError> {
        let placed = Placed { stint: input.stint, queue: host_queue(&self.host) };
        let own = ctx.workflow_handle::<LoopRun>().unwrap();
        own.signal(LoopRun::placed, placed, WorkflowSignalOptions::default())
            .await
            .map_err(ApplicationFailure::new)?;
        let given: Vec<String> = input.wishes.iter().map(|wish| wish.id.clone()).collect();
        let act = {
            let mut seen = self.seen.lock().unwrap();
            seen.stints.push(input);
            seen.acts.pop_front().expect("the script is over")
        };
        match act {
            Act::Reports(report) => Ok(StintReport { delivered: given, ..report }),
            Act::Fails(why) => Err(ApplicationFailure::new(why).into()),
            Act::ReportsWhenTold(count, report) => {
                let delivered = self.delivered(&ctx, |ids| ids.len() >= count).await;
                Ok(StintReport { delivered: [given, delivered].concat(), ..report })
            }
            Act::ReportsWhenStopped => {
                let is_cancel = |id: &String| id.contains("cancel");
                let delivered = self.delivered(&ctx, |ids| ids.iter().any(is_cancel)).await;
                let end = StintEnd::Finished { outcome: "stopped".into(), exit: 1 };
                Ok(StintReport { delivered, ..report(end, 1) })
            }
            Act::FallsSilent(report) => {
                self.seen.lock().unwrap().kept = report;
                tokio::time::sleep(Duration::from_hours(1)).await;
                Err(ApplicationFailure::new("nobody waits so long").into())
            }
        }
    }

    #[activity(name = "ralph.attend.v1")]
    #[expect(clippy::unused_async, reason = "an activity of the SDK")]
    async fn attend(
        self: Arc<Self>,
        _ctx: ActivityContext,
        _asked: Attendance,
    ) -> Result<Option<StintReport>, ActivityError> {
        Ok(self.seen.lock().unwrap().kept.take())
    }

    #[activity(name = "ralph.deliver.v1")]
    #[expect(clippy::unused_async, reason = "an activity of the SDK")]
    async fn deliver(
        self: Arc<Self>,
        _ctx: ActivityContext,
        delivery: Delivery,
    ) -> Result<bool, ActivityError> {
        self.seen.lock().unwrap().delivered.push(delivery);
        Ok(true)
    }
}

impl Scripted {
    async fn delivered(
        &self,
        ctx: &ActivityContext,
        enough: impl Fn(&[String]) -> bool,
    ) -> Vec<String> {
        loop {
            let all: Vec<String> =
                self.seen.lock().unwrap().delivered.iter().map(|one| one.wish.id.clone()).collect();
            if enough(&all) {
                return all;
            }
            ctx.record_heartbeat(()).await.unwrap();
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Script {
    pub(crate) async fn new(name: &'static str, acts: impl IntoIterator<Item = Act>) -> Self {
        // The loop calls the real hands by their names.
        assert_eq!(Scripted::stint.name(), Hands::stint.name());
        assert_eq!(Scripted::attend.name(), Hands::attend.name());
        assert_eq!(Scripted::deliver.name(), Hands::deliver.name());
        let seen =
            Arc::new(Mutex::new(Seen { acts: acts.into_iter().collect(), ..Seen::default() }));
        let client = super::Server::shared().client().await;
        let mut script =
            Self { name, client, seen: Arc::clone(&seen), stops: Vec::new(), workers: Vec::new() };
        script.work(script.brain_queue(), |options| {
            options.register_workflow::<LoopRun>().map(drop).unwrap();
        });
        for queue in [account_queue(name), host_queue(name)] {
            let hands = Scripted { host: name.into(), seen: Arc::clone(&seen) };
            script.work(queue, |options| {
                options.register_activities(hands);
            });
        }
        script
    }

    fn brain_queue(&self) -> String {
        format!("brain-{}", self.name)
    }

    fn work(&mut self, queue: String, register: impl FnOnce(&mut WorkerOptions)) {
        let mut options =
            WorkerOptions::new(queue).client_identity_override("test".to_owned()).build();
        register(&mut options);
        let (client, (tell, told)) = (self.client.clone(), std::sync::mpsc::channel());
        self.workers.push(std::thread::spawn(move || {
            let tokio = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(1)
                .enable_all()
                .build()
                .unwrap();
            tokio.block_on(async {
                let runtime = Runtime::from_current_tokio(RuntimeOptions::default()).unwrap();
                let mut worker = Worker::new(&runtime, client, options).unwrap();
                let stop: Box<dyn Fn() + Send> = Box::new(worker.shutdown_handle());
                tell.send(stop).unwrap();
                worker.run().await.unwrap();
            });
        }));
        self.stops.push(told.recv().unwrap());
    }

    pub(crate) fn spec(&self) -> LoopSpec {
        LoopSpec {
            repo: "https://git.example/a.git".into(),
            branch: "ralph/a".into(),
            tenant: "team".into(),
            account: self.name.into(),
            submission: String::new(),
            limits: Limits { failures_in_a_row: 2, ..Limits::default() },
            times: Times { heartbeat_ms: 1500, ..Times::default() },
        }
    }

    /// Starts the loop.
    pub(crate) async fn submit(&self, spec: LoopSpec) -> WorkflowHandle<Client, LoopRun> {
        let options = WorkflowStartOptions::new(self.brain_queue(), format!("loop/{}", self.name))
            .id_conflict_policy(WorkflowIdConflictPolicy::Fail)
            .build();
        let input = LoopInput { spec, carry: Carry::default() };
        let started = self.client.start_workflow(LoopRun::run, input, options).await.unwrap();
        self.client.get_workflow_handle::<LoopRun>(started.info().workflow_id.clone())
    }

    /// What the stints were given.
    pub(crate) fn stints(&self) -> Vec<StintInput> {
        self.seen.lock().unwrap().stints.clone()
    }

    /// Ids of what was delivered to stints under way.
    pub(crate) fn delivered(&self) -> Vec<String> {
        self.seen.lock().unwrap().delivered.iter().map(|one| one.wish.id.clone()).collect()
    }

    /// Replays the history of a run with the code that wrote it, and keeps it if it is to be kept. Answers how many
    /// events it has.
    pub(crate) async fn replay(&self, run_id: Option<&str>) -> usize {
        self.replay_as(self.name, run_id).await
    }

    pub(crate) async fn replay_as(&self, kept_as: &str, run_id: Option<&str>) -> usize {
        let info = temporalio_client::WorkflowExecutionInfo::builder()
            .namespace("default")
            .workflow_id(format!("loop/{}", self.name))
            .maybe_run_id(run_id.map(str::to_owned))
            .build();
        let handle = WorkflowHandle::<Client, LoopRun>::new(self.client.clone(), info);
        let json =
            handle.fetch_history(WorkflowFetchHistoryOptions::default()).to_json().await.unwrap();
        if std::env::var_os("RECORD_HISTORIES").is_some() {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/histories");
            std::fs::write(format!("{folder}/{kept_as}.json"), &json).unwrap();
        }
        let history = WorkflowHistory::from_json(&json).unwrap();
        let options =
            WorkflowReplayerOptions::new().register_workflow::<LoopRun>().unwrap().build();
        WorkflowReplayer::new(options).unwrap().replay_workflow(history).await.unwrap();
        WorkflowHistory::from_json(&json).unwrap().into_events().await.unwrap().len()
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        self.stops.iter().for_each(|stop| stop());
    }
}
