//! A loop's history: what its workflow keeps, when the history is long enough to be continued by a new one, and how it ends
//! where the loop is cancelled.

use std::time::{Duration, SystemTime};

use temporalio_macros::workflow;
use temporalio_sdk::{ContinueAsNewOptions, WorkflowContext, WorkflowResult, WorkflowTermination};

use super::book::Book;
use crate::wire::LoopInput;

/// Old histories keep old code alive: every loop moves on after this long.
const LONGEST_RUN: Duration = Duration::from_hours(24);

/// One loop: all stints on one branch.
#[workflow]
pub struct LoopRun {
    pub(super) book: Book,
    /// What the search attribute says.
    pub(super) shown: &'static str,
    pub(super) began: Option<SystemTime>,
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
