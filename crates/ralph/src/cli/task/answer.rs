//! `ralph task answer`: what the agent needs to know to go on.

use ralph_core::plan::person::TaskWish;

use super::ask;
use crate::{
    args::task::AnswerArgs, context::Context, diagnostics::CommandError,
    session::plan_status::PlanStatus,
};

/// Runs `ralph task answer`.
pub(crate) fn exec(args: &AnswerArgs, context: &Context) -> Result<u8, CommandError> {
    let standing = PlanStatus::about(&context.project_dir, &args.task)?;
    let wish = TaskWish::Answer { id: args.task.as_str().into(), text: args.text.clone() };
    ask::ask(&standing, &wish, context)
}
