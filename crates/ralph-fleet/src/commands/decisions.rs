//! `ralph fleet answer|approve|retry|skip`: what a person decides about a task that waits for one. Refused where none
//! does, so that nobody believes to have decided what nobody asked.

use ralph_core::{input, plan::person::TaskWish};
use temporalio_client::{WorkflowExecuteUpdateOptions, errors::WorkflowUpdateError};

use super::{
    context::Context,
    reach::{DecisionUpdate, Reached},
    wishes::{told, wish_id, words},
};
use crate::{
    cli::{AnswerArgs, SkipArgs, TaskArgs},
    error::{CommandError, exit},
    print,
    wire::{PAUSED, Wish},
};

/// Runs `ralph fleet answer`.
pub(super) async fn answer(args: &AnswerArgs, context: &Context) -> Result<u8, CommandError> {
    let text = words(&args.text)?;
    let change = TaskWish::Answer { id: args.about.task.as_str().into(), text };
    decide(&args.about, change, "continues with the answer", context).await
}

/// Runs `ralph fleet approve`.
pub(super) async fn approve(args: &TaskArgs, context: &Context) -> Result<u8, CommandError> {
    let change = TaskWish::Approve { id: args.task.as_str().into() };
    decide(args, change, "continues with the approved work", context).await
}

/// Runs `ralph fleet retry`.
pub(super) async fn retry(args: &TaskArgs, context: &Context) -> Result<u8, CommandError> {
    let change = TaskWish::Retry { id: args.task.as_str().into() };
    decide(args, change, "restarts the task", context).await
}

/// Runs `ralph fleet skip`.
pub(super) async fn skip(args: &SkipArgs, context: &Context) -> Result<u8, CommandError> {
    let why = if args.why.is_empty() { String::new() } else { words(&args.why)? };
    let change = TaskWish::Skip { id: args.about.task.as_str().into(), why };
    decide(&args.about, change, "continues without the task", context).await
}

async fn decide(
    about: &TaskArgs,
    change: TaskWish,
    when: &str,
    context: &Context,
) -> Result<u8, CommandError> {
    let reached = Reached::new(&context.client().await?, &about.which.id);
    let word = change.word();
    let wish = Wish { id: wish_id(), wish: input::Wish::Task { change } };
    let options = WorkflowExecuteUpdateOptions::builder().update_id(wish.id.clone()).build();
    match reached.handle.execute_update(DecisionUpdate, wish.clone(), options).await {
        Ok(waited) => {
            let is_paused = waited == PAUSED;
            let later = format!("is paused; after ralph fleet resume it {when}");
            told(&reached, &wish, if is_paused { &later } else { when }, context)?;
            if !context.printer.is_json && !is_paused {
                print::note(&became(&reached.id, &waited))?;
            }
            Ok(exit::DONE)
        }
        Err(WorkflowUpdateError::NotFound(_)) => Err(reached.over()),
        Err(WorkflowUpdateError::Failed(failure)) => {
            let help = format!(
                "ralph fleet status {} shows what waits; ralph fleet steer sends a message",
                reached.id
            );
            Err(CommandError::usage(format!("cannot {word} {}", about.task), help)
                .because(vec![failure.message]))
        }
        Err(error) => Err(CommandError::server(format!("cannot reach {}", reached.id), &error)),
    }
}

/// What was waiting; or, of a run at work, where to see what it makes of a decision.
fn became(id: &str, waited: &str) -> String {
    if waited.is_empty() {
        return format!(
            "  sent to the running stint; ralph fleet watch {id} shows what becomes of it"
        );
    }
    format!("  it was waiting: {waited}")
}
