//! Who polls a queue, as the server saw it in the last minutes: nobody who polls means that nothing happens.

use temporalio_client::{Client, NamespacedClient as _, tonic, tonic::IntoRequest as _};
use temporalio_common::protos::temporal::api::{
    enums::v1::TaskQueueType, taskqueue::v1::TaskQueue,
    workflowservice::v1::DescribeTaskQueueRequest,
};

use crate::wire::{BRAIN_QUEUE, account_queue};

/// Brains.
pub(super) async fn brains(client: &Client) -> Result<usize, tonic::Status> {
    count(client, BRAIN_QUEUE.to_owned(), TaskQueueType::Workflow).await
}

/// Hands of this account.
pub(super) async fn hands(client: &Client, account: &str) -> Result<usize, tonic::Status> {
    count(client, account_queue(account), TaskQueueType::Activity).await
}

/// What starts hands of an account.
pub(super) fn starts_hands(account: &str) -> String {
    format!("ralph fleet worker --role hands --account {account}")
}

async fn count(
    client: &Client,
    queue: String,
    kind: TaskQueueType,
) -> Result<usize, tonic::Status> {
    let request = DescribeTaskQueueRequest {
        namespace: client.namespace(),
        task_queue: Some(TaskQueue { name: queue, ..TaskQueue::default() }),
        task_queue_type: kind as i32,
        ..DescribeTaskQueueRequest::default()
    };
    let mut service = client.connection().workflow_service();
    let answer = service.describe_task_queue(request.into_request()).await?;
    Ok(answer.into_inner().pollers.len())
}
