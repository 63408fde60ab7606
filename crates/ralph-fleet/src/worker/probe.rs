//! One look a while at whether the server answers, for all stints of a worker.

use std::time::Duration;

use temporalio_client::{
    Client,
    tonic::{IntoRequest as _, Request},
};
use temporalio_common::protos::temporal::api::workflowservice::v1::GetSystemInfoRequest;

use crate::hands::Floor;

/// A server that needs longer is out of touch.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) async fn keep_probing(client: Client, floor: Floor, every: Duration) {
    loop {
        floor.in_touch(answers(&client).await);
        tokio::time::sleep(every).await;
    }
}

async fn answers(client: &Client) -> bool {
    let mut service = client.connection().workflow_service();
    let request: Request<_> = GetSystemInfoRequest::default().into_request();
    let asked = tokio::time::timeout(PATIENCE, service.get_system_info(request)).await;
    matches!(asked, Ok(Ok(_)))
}
