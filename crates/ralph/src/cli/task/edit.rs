//! `ralph task edit`: other words, criteria or limits for a task.

use ralph_core::plan::person::TaskWish;

use super::ask;
use crate::{
    args::task::EditArgs,
    context::Context,
    diagnostics::CommandError,
    exit,
    session::{plan_status::PlanStatus, project::told},
};

/// Runs `ralph task edit`.
pub(crate) fn exec(args: &EditArgs, context: &Context) -> Result<u8, CommandError> {
    let changes = Box::new(args.fields.changes());
    if changes.names().is_empty() {
        let help = "say what to change, such as --title, --criterion or --max-attempts";
        let what = format!("nothing to change about {} was given", args.task);
        return Err(told(what, Vec::new(), help.into(), exit::USAGE));
    }
    let standing = PlanStatus::find(&context.project_dir)?;
    ask::ask(&standing, &TaskWish::Edit { id: args.task.as_str().into(), changes }, context)
}
