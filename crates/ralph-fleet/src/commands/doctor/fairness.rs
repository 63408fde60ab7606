//! Whether tenants take turns. No server says so, so it is tried on a queue of its own: two made-up tenants put tasks
//! there, and the order in which they come out tells.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use temporalio_client::{
    Client, Priority, UntypedWorkflow, WorkflowStartOptions, WorkflowTerminateOptions,
    tonic::IntoRequest as _,
};
use temporalio_common::{
    data_converters::RawValue,
    protos::temporal::api::{
        taskqueue::v1::TaskQueue, workflowservice::v1::PollWorkflowTaskQueueRequest,
    },
};

use super::check::Check;
use crate::connect::Server;

const NAME: &str = "fairness";
/// Tasks of the tenant that comes first, and of the one behind it.
const MANY: usize = 24;
const FEW: usize = 8;

/// Tries it; what cannot be tried is no obstacle to loops.
pub(super) async fn check(server: &Server, client: &Client) -> Check {
    let fix = "start the server with matching.enableFairness=true; without it, tenants are served in order of arrival";
    match tokio::time::timeout(Duration::from_secs(20), order(server, client)).await {
        Ok(Ok(places)) if is_fair(&places) => Check::ok(
            NAME,
            format!(
                "{FEW} tasks queued behind {MANY} of another tenant ran at positions {places:?}"
            ),
        ),
        Ok(Ok(places)) => {
            let detail = format!(
                "off: {FEW} tasks queued behind {MANY} of another tenant ran at positions {places:?}"
            );
            Check::warning(NAME, detail, fix)
        }
        Ok(Err(error)) => Check::warning(NAME, format!("cannot be tested: {error}"), fix),
        Err(_) => Check::warning(NAME, "no result within 20 s", fix),
    }
}

/// In turns the late ones come among the first half, one after the other behind all the rest. A queue has several parts
/// that are emptied at random, so that only the mean tells.
fn is_fair(places: &[usize]) -> bool {
    places.len() == FEW && places.iter().sum::<usize>() <= FEW * (MANY + FEW) * 5 / 8
}

/// The places of the tenant that came late.
async fn order(server: &Server, client: &Client) -> anyhow::Result<Vec<usize>> {
    let moment = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis();
    let queue = format!("ralph-probe-{moment}-{}", std::process::id());
    let mut ids = Vec::new();
    for number in 0..MANY + FEW {
        let tenant = if number < MANY { "many" } else { "few" };
        let id = format!("{queue}-{tenant}-{number}");
        let options = WorkflowStartOptions::new(queue.clone(), id.clone())
            .execution_timeout(Duration::from_mins(1))
            .priority(Priority::builder().fairness_key(tenant.to_owned()).build())
            .build();
        client
            .start_workflow(UntypedWorkflow::new("ralph.probe"), RawValue::empty(), options)
            .await?;
        ids.push(id);
    }
    let mut service = client.connection().workflow_service();
    let mut places = Vec::new();
    for place in 1..=ids.len() {
        let request = PollWorkflowTaskQueueRequest {
            namespace: server.namespace.clone(),
            task_queue: Some(TaskQueue { name: queue.clone(), ..TaskQueue::default() }),
            identity: "ralph-fleet doctor".into(),
            ..PollWorkflowTaskQueueRequest::default()
        };
        let task = service.poll_workflow_task_queue(request.into_request()).await?.into_inner();
        if task.workflow_execution.is_some_and(|one| one.workflow_id.contains("-few-")) {
            places.push(place);
        }
    }
    for id in ids {
        let options = WorkflowTerminateOptions::builder().reason("the probe has finished").build();
        client.get_workflow_handle::<UntypedWorkflow>(id).terminate(options).await?;
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_told_from_a_line() {
        assert!(is_fair(&[2, 4, 6, 8, 10, 12, 14, 16]));
        assert!(!is_fair(&[25, 26, 27, 28, 29, 30, 31, 32]) && !is_fair(&[2, 4]));
    }
}
