//! `ralph task skip`: leaves a task out.

use ralph_core::plan::person::TaskWish;

use super::ask;
use crate::{
    args::task::SkipArgs, context::Context, diagnostics::CommandError,
    session::plan_status::PlanStatus,
};

/// Runs `ralph task skip`.
pub(crate) fn exec(args: &SkipArgs, context: &Context) -> Result<u8, CommandError> {
    let standing = PlanStatus::about(&context.project_dir, &args.task)?;
    let wish = TaskWish::Skip { id: args.task.as_str().into(), why: args.why.clone() };
    ask::ask(&standing, &wish, context)
}
