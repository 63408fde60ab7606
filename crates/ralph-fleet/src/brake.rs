//! Holds back everything that waits on a queue, and lets it go again. A brake, no meter: what is under way goes on.

use std::sync::Arc;

use temporalio_client::tonic::IntoRequest as _;
use temporalio_common::{
    error::ApplicationFailure,
    protos::temporal::api::{
        enums::v1::TaskQueueType,
        taskqueue::v1::RateLimit,
        workflowservice::v1::{
            UpdateTaskQueueConfigRequest, update_task_queue_config_request::RateLimitUpdate,
        },
    },
};
use temporalio_macros::activities;
use temporalio_sdk::activities::{ActivityContext, ActivityError};

use crate::wire::BrakeOrder;

/// What a brain does to queues.
pub(crate) struct Brake;

#[activities]
impl Brake {
    #[activity(name = "ralph.brake.v1")]
    pub(crate) async fn brake(
        self: Arc<Self>,
        ctx: ActivityContext,
        order: BrakeOrder,
    ) -> Result<(), ActivityError> {
        let client = ctx.client();
        let update = RateLimitUpdate {
            // None takes the limit away.
            rate_limit: order.is_on.then_some(RateLimit { requests_per_second: 0.0 }),
            reason: if order.is_on { "usage limit" } else { "usage limit lifted" }.to_owned(),
        };
        let request = UpdateTaskQueueConfigRequest {
            namespace: client.options().namespace.clone(),
            identity: client.connection().identity().to_owned(),
            task_queue: order.queue,
            task_queue_type: TaskQueueType::Activity.into(),
            update_queue_rate_limit: Some(update),
            ..UpdateTaskQueueConfigRequest::default()
        };
        let mut service = client.connection().workflow_service();
        service
            .update_task_queue_config(request.into_request())
            .await
            .map_err(ApplicationFailure::new)?;
        Ok(())
    }
}
