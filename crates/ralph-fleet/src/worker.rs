//! A worker: brains decide what loops do next, hands hold agents. Hands that cannot keep an agent in do not poll. A
//! worker that is asked to end begins nothing new, and leaves when what it holds is handed over.

mod drain;
mod manner;
mod probe;
mod self_test;

use std::{net::SocketAddr, sync::Arc};

use anyhow::Context as _;
use temporalio_client::Client;
use temporalio_common::telemetry::TelemetryOptions;
use temporalio_sdk::{
    Runtime, Worker, WorkerOptions,
    runtime::{
        PollerBehavior, RuntimeOptions,
        worker_tuner::{FixedSizeSlotSupplier, TunerHolder},
    },
};

use crate::{
    brake::Brake,
    hands::{Floor, Hands},
    metrics::Metrics,
    stint::Host,
    wire::{BRAIN_QUEUE, account_queue, host_queue},
    workflow::{account::AccountRun, budget::BudgetRun, looping::LoopRun},
};

use self::drain::Crew;
pub use self::{drain::Asked, manner::Manner, self_test::SelfTest};

/// Loops whose histories a brain keeps at hand.
const CACHED_LOOPS: usize = 500;
/// Words and questions that a host hears at once, beside one question for each of its stints.
const WORDS: usize = 8;

/// What a worker is.
pub struct Role {
    pub decides: bool,
    /// Holds agents, of one account.
    pub hands: Option<HandsRole>,
}

pub struct HandsRole {
    pub account: String,
    pub host: Host,
    pub slots: usize,
    pub self_test: SelfTest,
}

/// Polls until it is asked to end, then drains. Needs a runtime of several threads under it.
pub async fn run(client: Client, role: Role, manner: Manner, asked: Asked) -> anyhow::Result<()> {
    let (metrics, runtime) = measured(manner.metrics)?;
    let floor = Floor::default();
    let mut polling = Vec::new();
    if role.decides {
        polling.push(brain(&runtime, client.clone())?);
    }
    let mut hearing = None;
    if let Some(HandsRole { account, host, slots, self_test }) = role.hands {
        self_test.pass(&host).await?;
        let hands = Hands {
            host: Arc::new(host),
            floor: floor.clone(),
            metrics,
            say: Arc::clone(&manner.say),
            misses_within: probe::misses_within(manner.probe),
        };
        hearing = Some(ears(&runtime, client.clone(), hands.clone(), slots)?);
        polling.push(grip(&runtime, client.clone(), hands, &account, slots)?);
        tokio::spawn(probe::keep_probing(client, floor.clone(), account, manner.probe));
    }
    (manner.say)(&format!("polling for work, process {}", std::process::id()));
    drain::run_until_drained(Crew { polling, hearing, floor }, &manner, asked).await
}

fn measured(address: Option<SocketAddr>) -> anyhow::Result<(Metrics, Runtime)> {
    let (metrics, telemetry) = match address {
        Some(address) => {
            let (metrics, meter) = Metrics::serve(address)?;
            (metrics, TelemetryOptions::builder().metrics(meter).build())
        }
        None => (Metrics::none(), TelemetryOptions::builder().build()),
    };
    let options = RuntimeOptions::builder()
        .telemetry_options(telemetry)
        .build()
        .map_err(anyhow::Error::msg)?;
    Ok((metrics, Runtime::from_current_tokio(options)?))
}

/// Decides for loops of every account, and may die at any time.
fn brain(runtime: &Runtime, client: Client) -> anyhow::Result<Worker> {
    let options = WorkerOptions::new(BRAIN_QUEUE)
        .max_cached_workflows(CACHED_LOOPS)
        .register_workflow::<LoopRun>()?
        .register_workflow::<AccountRun>()?
        .register_workflow::<BudgetRun>()?
        .register_activities(Brake)
        .build();
    Worker::new(runtime, client, options).context("cannot poll for loops")
}

/// Takes up the stints of one account.
fn grip(
    runtime: &Runtime,
    client: Client,
    hands: Hands,
    account: &str,
    slots: usize,
) -> anyhow::Result<Worker> {
    let options = WorkerOptions::new(account_queue(account))
        .client_identity_override(hands.host.name.clone())
        // The server may hand a stint to each poll of a host that is cut off, and misses it a heartbeat later only.
        .activity_task_poller_behavior(PollerBehavior::SimpleMaximum(1))
        .tuner(tuner(slots))
        .register_activities(hands)
        .build();
    Worker::new(runtime, client, options).context("cannot poll for stints")
}

/// Hears what is said to the stints of this host, until the last of them has left.
fn ears(runtime: &Runtime, client: Client, hands: Hands, slots: usize) -> anyhow::Result<Worker> {
    let options = WorkerOptions::new(host_queue(&hands.host.name))
        .client_identity_override(hands.host.name.clone())
        .tuner(tuner(slots + WORDS))
        .register_activities(hands)
        .build();
    Worker::new(runtime, client, options).context("cannot poll for messages to stints")
}

fn tuner(slots: usize) -> TunerHolder {
    TunerHolder::builder()
        .workflow_task_slot_supplier(FixedSizeSlotSupplier::new(1))
        .activity_task_slot_supplier(FixedSizeSlotSupplier::new(slots))
        .local_activity_task_slot_supplier(FixedSizeSlotSupplier::new(1))
        .nexus_task_slot_supplier(FixedSizeSlotSupplier::new(1))
        .build()
}
