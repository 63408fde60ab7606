//! The loop as a workflow. It holds no plan and decides nothing about work: it hands out stints, waits, and passes on
//! what people say.

use std::time::{Duration, SystemTime};

use temporalio_macros::{workflow, workflow_methods};
use temporalio_sdk::{
    ContinueAsNewOptions, SyncWorkflowContext, WorkflowContext, WorkflowContextView,
    WorkflowResult, WorkflowTermination,
};

use super::{book::Book, handing::hand_out_until_reported, waiting::wait_out};
use crate::{
    search_attributes as seen,
    wire::{LoopEnd, LoopInput, Placed, Status, StintEnd, StintReport, Wish},
};

/// Old histories keep old code alive: every loop moves on after this long.
const LONGEST_RUN: Duration = Duration::from_hours(24);

/// One loop: all stints on one branch.
#[workflow]
pub struct LoopRun {
    pub(super) book: Book,
    /// What the search attribute says.
    shown: &'static str,
    began: Option<SystemTime>,
}

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
            let by_person = wait_out(ctx).await?;
            let report = if ctx.state(|s| s.book.is_stopped_in_wait()) {
                ctx.state(|s| s.book.stopped())
            } else {
                hand_out_until_reported(ctx, by_person).await?
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
        _wish: &Wish,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        match self.book.waiting {
            Some(_) => Ok(()),
            None => Err("nothing waits for an answer: steer the loop instead".into()),
        }
    }

    /// Answers what it was that waited.
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

/// Ends this history and begins a new one with everything that waits, if this one is long or old.
pub(super) fn go_on_as_new_if_long(ctx: &WorkflowContext<LoopRun>) -> WorkflowResult<()> {
    let began = ctx.state(|s| s.began);
    let age =
        ctx.workflow_time().zip(began).and_then(|(now, began)| now.duration_since(began).ok());
    let is_long = ctx.continue_as_new_suggested()
        || ctx.history_length() >= ctx.state(|s| s.book.spec.limits.history_events)
        || age.is_some_and(|age| age >= LONGEST_RUN);
    if is_long {
        let input =
            ctx.state(|s| LoopInput { spec: s.book.spec.clone(), carry: s.book.carry.clone() });
        ctx.continue_as_new(input, ContinueAsNewOptions::default())?;
    }
    Ok(())
}

/// Ends the loop as cancelled, with how far it came.
pub(super) fn cancelled(ctx: &WorkflowContext<LoopRun>) -> WorkflowTermination {
    let end = ctx.state(|s| s.book.end("cancelled".to_owned(), 130));
    WorkflowTermination::cancelled_with_details(end)
}
