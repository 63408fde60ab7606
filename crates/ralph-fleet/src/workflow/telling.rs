//! What is said to a stint under way: every wish, at once and in order, to the host that it is on.

use futures::{
    FutureExt as _,
    future::{Fuse, FusedFuture as _, LocalBoxFuture},
};
use ralph_core::input;
use temporalio_sdk::{
    ActivityExecutionError, WaitConditionOptions, WorkflowCancellationToken, WorkflowContext,
    workflows::select,
};

use super::{errand, history::LoopRun, waiting::since_1970};
use crate::{
    activities::Deliver,
    wire::{Delivery, Wish},
};

/// Waits for what somebody does for the loop, and meanwhile sends every wish after it, one at a time. A cancelled loop
/// wishes that its run stops now: the heartbeat would bring it too, but only at its next turn. A stint that nobody has
/// taken up is called back if its loop should stop.
pub(super) async fn keep_telling<T>(
    ctx: &WorkflowContext<LoopRun>,
    work: LocalBoxFuture<'_, Result<T, ActivityExecutionError>>,
    recall: Option<&WorkflowCancellationToken>,
) -> Result<T, ActivityExecutionError> {
    let detached = WorkflowCancellationToken::new();
    let free = || WaitConditionOptions::builder().cancellation_token(detached.clone()).build();
    let mut work = work.fuse();
    let mut delivery: Fuse<LocalBoxFuture<'_, ()>> = Fuse::terminated();
    let mut cancelled = Box::pin(ctx.cancelled());
    let mut useless = Box::pin(ctx.wait_condition_with_options(|s| s.book.is_useless(), free()));
    loop {
        let is_free = delivery.is_terminated();
        let mut unsent = Box::pin(
            ctx.wait_condition_with_options(|s| is_free && s.book.unsent().is_some(), free()),
        );
        select! {
            ended = work => return ended,
            () = delivery => {}
            _ = unsent => delivery = deliver(ctx, &detached).boxed_local().fuse(),
            _ = cancelled => ctx.state_mut(|s| s.book.heard(stop_now(ctx))),
            _ = useless => recall.into_iter().for_each(WorkflowCancellationToken::cancel),
        }
    }
}

async fn deliver(ctx: &WorkflowContext<LoopRun>, detached: &WorkflowCancellationToken) {
    let next = ctx.state(|s| Some((s.book.unsent()?.clone(), s.book.place.clone()?)));
    let Some((wish, queue)) = next else { return };
    let options = ctx.state(|s| errand::deliver(&s.book.spec, queue, detached));
    ctx.state_mut(|s| s.book.sent(&wish.id));
    let delivery = Delivery { key: ctx.workflow_id().to_owned(), wish };
    // Whether it arrived is the report's to say.
    let _ = ctx.execute_activity(Deliver, delivery, options).await;
}

fn stop_now(ctx: &WorkflowContext<LoopRun>) -> Wish {
    let id = format!("{:013}-cancel-000000.json", since_1970(ctx).as_millis());
    Wish { id, wish: input::Wish::StopNow }
}
