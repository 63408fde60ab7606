//! `ralph task retry`: has a task done again from the start.

use ralph_core::plan::person::TaskWish;

use super::ask;
use crate::{
    args::task::OneTask, context::Context, diagnostics::CommandError,
    session::plan_status::PlanStatus,
};

/// Runs `ralph task retry`.
pub(crate) fn exec(args: &OneTask, context: &Context) -> Result<u8, CommandError> {
    let standing = PlanStatus::about(&context.project_dir, &args.task)?;
    let wish = TaskWish::Retry { id: args.task.as_str().into() };
    ask::ask(&standing, &wish, context)
}
