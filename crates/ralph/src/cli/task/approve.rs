//! `ralph task approve`: a person's word in place of a reviewer's.

use ralph_core::plan::person::TaskWish;

use super::ask;
use crate::{
    args::task::OneTask, context::Context, diagnostics::CommandError,
    session::plan_status::PlanStatus,
};

/// Runs `ralph task approve`.
pub(crate) fn exec(args: &OneTask, context: &Context) -> Result<u8, CommandError> {
    let standing = PlanStatus::about(&context.project_dir, &args.task)?;
    let wish = TaskWish::Approve { id: args.task.as_str().into() };
    ask::ask(&standing, &wish, context)
}
