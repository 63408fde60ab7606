//! One look a while at whether the server answers, for all stints of a worker.

use std::time::{Duration, Instant};

use temporalio_client::{
    Client,
    tonic::{IntoRequest as _, Request},
};
use temporalio_common::protos::temporal::api::workflowservice::v1::GetSystemInfoRequest;

use crate::hands::{Floor, rest};

/// A server that needs longer is out of touch.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long a server may be out of reach before the stints of a worker hear of it: a pause, two questions that it does
/// not answer, and the answer before them.
pub(super) fn misses_within(every: Duration) -> Duration {
    every + 3 * patience(every)
}

fn patience(every: Duration) -> Duration {
    PATIENCE.min(every)
}

/// Also sees whether the account rests: stints that were begun before it leave.
pub(super) async fn keep_probing(client: Client, floor: Floor, account: String, every: Duration) {
    let patience = patience(every);
    loop {
        let asked = Instant::now();
        let is_there = answers(&client, patience).await;
        floor.probed(asked, is_there);
        if is_there && floor.count() > 0 && rests(&client, &account, patience).await {
            floor.ask_all_to_leave();
        }
        tokio::time::sleep(every).await;
    }
}

/// Never waits for long: a server that is lost in the middle of this question must be missed by the next look.
async fn rests(client: &Client, account: &str, patience: Duration) -> bool {
    let asked = tokio::time::timeout(patience, rest::until(client, account)).await;
    matches!(asked, Ok(Ok(Some(_))))
}

async fn answers(client: &Client, patience: Duration) -> bool {
    let mut service = client.connection().workflow_service();
    let request: Request<_> = GetSystemInfoRequest::default().into_request();
    let asked = tokio::time::timeout(patience, service.get_system_info(request)).await;
    matches!(asked, Ok(Ok(_)))
}
