//! How commands reach a loop: its name on the server, its signals, queries and updates. Knows their names and types
//! only, so that a client of one version can talk to workers of another.

use temporalio_client::{
    Client, WorkflowDescribeOptions, WorkflowExecutionDescription, WorkflowExecutionStatus,
    WorkflowHandle, WorkflowQueryOptions, WorkflowSignalOptions,
    errors::{WorkflowInteractionError, WorkflowQueryError},
};
use temporalio_common::{
    HasWorkflowDefinition, QueryDefinition, SignalDefinition, UpdateDefinition, WorkflowDefinition,
    protos::temporal::api::enums::v1::PendingActivityState,
};

use crate::{
    error::{CommandError, exit},
    wire::{LOOP, LoopEnd, LoopInput, Progress, Status, Wish},
};

/// The workflow that is a loop.
pub(crate) struct LoopFlow;

impl WorkflowDefinition for LoopFlow {
    type Input = LoopInput;
    type Output = LoopEnd;

    fn name(&self) -> &str {
        LOOP
    }
}

impl HasWorkflowDefinition for LoopFlow {
    type Run = Self;
}

struct WishSignal;

impl SignalDefinition for WishSignal {
    type Workflow = LoopFlow;
    type Input = Wish;

    fn name(&self) -> &'static str {
        "wish"
    }
}

struct StatusQuery;

impl QueryDefinition for StatusQuery {
    type Workflow = LoopFlow;
    type Input = ();
    type Output = Status;

    fn name(&self) -> &'static str {
        "status"
    }
}

/// A decision about a task, refused if the task does not wait for one.
pub(crate) struct DecisionUpdate;

impl UpdateDefinition for DecisionUpdate {
    type Workflow = LoopFlow;
    type Input = Wish;
    type Output = String;

    fn name(&self) -> &'static str {
        "answer"
    }
}

/// A loop on the server.
pub(crate) struct Reached {
    pub(crate) id: String,
    pub(crate) handle: WorkflowHandle<Client, LoopFlow>,
}

impl Reached {
    /// By its id, with or without `loop/` before it.
    pub(crate) fn new(client: &Client, id: &str) -> Self {
        let id = if id.starts_with("loop/") { id.to_owned() } else { format!("loop/{id}") };
        Self { handle: client.get_workflow_handle(id.clone()), id }
    }

    /// What the server knows of it; nothing if there is no such loop.
    pub(crate) async fn look(&self) -> Result<Option<WorkflowExecutionDescription>, CommandError> {
        match self.handle.describe(WorkflowDescribeOptions::default()).await {
            Ok(description) => Ok(Some(description)),
            Err(WorkflowInteractionError::NotFound(_)) => Ok(None),
            Err(error) => Err(CommandError::server(format!("cannot look up {}", self.id), &error)),
        }
    }

    /// The same for a loop that must be there.
    pub(crate) async fn describe(&self) -> Result<WorkflowExecutionDescription, CommandError> {
        self.look().await?.ok_or_else(|| self.unknown())
    }

    /// Its own word about itself; nothing if no worker is there to give it.
    pub(crate) async fn status(&self) -> Result<Option<Status>, CommandError> {
        match self.handle.query(StatusQuery, (), WorkflowQueryOptions::default()).await {
            Ok(status) => Ok(Some(status)),
            Err(WorkflowQueryError::NotFound(_)) => Err(self.unknown()),
            Err(WorkflowQueryError::Rpc(_)) => Ok(None),
            Err(error) => Err(CommandError::server(format!("cannot query {}", self.id), &error)),
        }
    }

    /// Sends a wish. One that is sent twice under its id is obeyed once.
    pub(crate) async fn wish(&self, wish: Wish) -> Result<(), CommandError> {
        let options = WorkflowSignalOptions::builder().request_id(wish.id.clone()).build();
        self.handle.signal(WishSignal, wish, options).await.map_err(|error| match error {
            WorkflowInteractionError::NotFound(_) => self.over(),
            error => CommandError::server(format!("cannot reach {}", self.id), &error),
        })
    }

    pub(crate) fn unknown(&self) -> CommandError {
        CommandError::usage(
            format!("there is no loop {}", self.id),
            "ralph fleet list --all shows all loops",
        )
    }

    pub(crate) fn over(&self) -> CommandError {
        let help = format!(
            "ralph fleet status {} shows how it ended; ralph fleet list --all shows all loops",
            self.id
        );
        CommandError::usage(format!("the loop {} has ended or never existed", self.id), help)
    }
}

/// Somebody works on that branch.
pub(crate) fn taken(id: &str) -> CommandError {
    let help = format!("ralph fleet watch {id} shows it; ralph fleet stop {id} ends it");
    CommandError::new(exit::LOCKED, format!("{id} is already running"), help)
}

/// What the stint under way said of itself last.
pub(crate) fn progress(description: &WorkflowExecutionDescription) -> Option<Progress> {
    let pending = &description.raw().pending_activities;
    let details = pending.iter().filter_map(|activity| activity.heartbeat_details.as_ref());
    let payloads = details.flat_map(|details| &details.payloads);
    payloads.into_iter().find_map(|payload| serde_json::from_slice(&payload.data).ok())
}

/// Whether a host has a stint of it, as the server knows: one that is gone has it until its heartbeat is missed.
pub(crate) fn is_held(description: &WorkflowExecutionDescription) -> bool {
    let waits = PendingActivityState::Scheduled as i32;
    description.raw().pending_activities.iter().any(|activity| activity.state != waits)
}

/// Whether somebody may still work on it.
pub(crate) fn is_open(description: &WorkflowExecutionDescription) -> bool {
    matches!(
        description.status(),
        WorkflowExecutionStatus::Running | WorkflowExecutionStatus::Paused
    )
}
