//! The loop as a workflow. It holds no plan and decides nothing about work: it hands out stints, waits, and passes on
//! what people say.

use temporalio_macros::workflow_methods;
use temporalio_sdk::{SyncWorkflowContext, WorkflowContext, WorkflowContextView, WorkflowResult};

pub use super::history::LoopRun;
use super::{
    book::Book,
    handing::hand_out_until_reported,
    history::{cancelled, go_on_as_new_if_long},
    waiting::wait_out,
};
use crate::{
    search_attributes as seen,
    wire::{LoopEnd, LoopInput, Placed, Status, StintEnd, StintReport, Wish},
};

#[workflow_methods]
impl LoopRun {
    #[init]
    fn new(ctx: &WorkflowContextView, input: LoopInput) -> Self {
        let shown = input.carry.last.as_ref().map_or(seen::QUEUED, |last| seen::state(&last.end));
        Self { book: Book::new(input), shown, began: ctx.start_time() }
    }

    #[run(name = "ralph.loop.v1")]
    pub async fn run(ctx: &mut WorkflowContext<Self>) -> WorkflowResult<LoopEnd> {
        loop {
            if !ctx.state(|s| s.book.is_stopped()) {
                wait_out(ctx).await?;
            }
            let report = if ctx.state(|s| s.book.is_stopped()) {
                ctx.state(|s| s.book.stopped())
            } else {
                hand_out_until_reported(ctx).await?
            };
            if let StintEnd::Finished { outcome, exit } = took(ctx, report) {
                return Ok(ctx.state(|s| s.book.end(outcome, exit)));
            }
            if ctx.cancellation_token().is_cancelled() {
                return Err(cancelled(ctx));
            }
            go_on_as_new_if_long(ctx)?;
        }
    }

    /// The stint tells where it is, so that words reach it at once.
    #[signal(name = "placed")]
    pub fn placed(&mut self, ctx: &mut SyncWorkflowContext<Self>, placed: Placed) {
        if self.book.placed(placed) && self.shown != seen::WORKING {
            self.shown = seen::WORKING;
            ctx.upsert_search_attributes([seen::STATE.value_set(seen::WORKING.to_owned())]);
        }
    }

    #[signal(name = "wish")]
    pub fn wish(&mut self, _ctx: &mut SyncWorkflowContext<Self>, wish: Wish) {
        self.book.heard(wish);
    }

    #[query(name = "status")]
    pub fn status(&self, _ctx: &WorkflowContextView) -> Status {
        self.book.status()
    }

    #[update_validator(answer)]
    fn check_answer(
        &self,
        _ctx: &WorkflowContextView,
        wish: &Wish,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        self.book.refuses(wish).map_or(Ok(()), |why| Err(why.into()))
    }

    /// Any decision about a task that waits. Answers what it was that waited.
    #[update(name = "answer")]
    pub fn answer(&mut self, _ctx: &mut SyncWorkflowContext<Self>, wish: Wish) -> String {
        self.book.heard(wish);
        self.book.waiting.clone().unwrap_or_default()
    }
}

/// Notes a report and shows how things stand after it. Answers how the stint ended.
fn took(ctx: &WorkflowContext<LoopRun>, report: StintReport) -> StintEnd {
    let end = report.end.clone();
    ctx.state_mut(|s| {
        s.shown = seen::state(&end);
        s.book.took(report);
    });
    if let Some(last) = ctx.state(|s| s.book.carry.last.clone()) {
        ctx.upsert_search_attributes(seen::at_stint_end(&last));
    }
    end
}
