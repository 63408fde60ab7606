//! Tells a loop on which queue its stint can be reached, as soon as there is somebody to reach.

use std::time::Duration;

use temporalio_client::{
    Client, WorkflowHandle, WorkflowSignalOptions, errors::WorkflowInteractionError,
};

use super::floor::Running;
use crate::{wire::Placed, workflow::looping::LoopRun};

/// No agent is called so soon, and a stint that is over by then need not be reached.
const SOON: Duration = Duration::from_millis(300);
/// How often it is tried while the server is away.
const AGAIN: Duration = Duration::from_secs(1);

pub(super) async fn say_where(
    own: Option<WorkflowHandle<Client, LoopRun>>,
    placed: Placed,
    running: Running,
) {
    let Some(own) = own else { return };
    let mut pause = SOON;
    loop {
        tokio::select! {
            _ = running.ended() => return,
            () = tokio::time::sleep(pause) => pause = AGAIN,
        }
        let options = WorkflowSignalOptions::default();
        match own.signal(LoopRun::placed, placed.clone(), options).await {
            Ok(()) | Err(WorkflowInteractionError::NotFound(_)) => return,
            Err(_) => {}
        }
    }
}
