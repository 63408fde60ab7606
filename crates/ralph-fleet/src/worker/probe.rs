//! One look a while at whether the server answers, for all stints of a worker.

use std::time::Duration;

use temporalio_client::{
    Client,
    tonic::{IntoRequest as _, Request},
};
use temporalio_common::protos::temporal::api::workflowservice::v1::GetSystemInfoRequest;

use crate::hands::{Floor, rest};

/// A server that needs longer is out of touch.
const PATIENCE: Duration = Duration::from_secs(2);

/// Also sees whether the account rests: stints that were begun before it leave.
pub(super) async fn keep_probing(client: Client, floor: Floor, account: String, every: Duration) {
    loop {
        let is_there = answers(&client).await;
        floor.in_touch(is_there);
        if is_there && floor.count() > 0 && rests(&client, &account).await {
            floor.ask_all_to_leave();
        }
        tokio::time::sleep(every).await;
    }
}

/// Never waits for long: a server that is lost in the middle of this question must be missed by the next look.
async fn rests(client: &Client, account: &str) -> bool {
    let asked = tokio::time::timeout(PATIENCE, rest::until(client, account)).await;
    matches!(asked, Ok(Ok(Some(_))))
}

async fn answers(client: &Client) -> bool {
    let mut service = client.connection().workflow_service();
    let request: Request<_> = GetSystemInfoRequest::default().into_request();
    let asked = tokio::time::timeout(PATIENCE, service.get_system_info(request)).await;
    matches!(asked, Ok(Ok(_)))
}
