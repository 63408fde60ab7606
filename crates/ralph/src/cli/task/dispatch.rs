//! From the second word to what it does; wishes about a task that need nothing else are made here.

use ralph_core::plan::person::TaskWish;

use super::{add, ask, list, proposals, show};
use crate::{
    args::task::{EditArgs, TaskCommand},
    context::Context,
    diagnostics::CommandError,
    exit,
    session::{plan_status::PlanStatus, project::told},
};

/// Runs `ralph task`.
pub(crate) fn exec(command: &TaskCommand, context: &Context) -> Result<u8, CommandError> {
    let (task, wish) = match command {
        TaskCommand::List => return list::exec(context),
        TaskCommand::Show(args) => return show::exec(args, context),
        TaskCommand::Add(args) => return add::exec(args, context),
        TaskCommand::Edit(args) => return edit(args, context),
        TaskCommand::Proposals(args) => return proposals::exec(args, context),
        TaskCommand::Skip(args) => {
            let why = args.why.clone();
            (&args.task, TaskWish::Skip { id: args.task.as_str().into(), why })
        }
        TaskCommand::Retry(args) => (&args.task, TaskWish::Retry { id: args.task.as_str().into() }),
        TaskCommand::Approve(args) => {
            (&args.task, TaskWish::Approve { id: args.task.as_str().into() })
        }
        TaskCommand::Answer(args) => {
            let text = args.text.clone();
            (&args.task, TaskWish::Answer { id: args.task.as_str().into(), text })
        }
    };
    ask::ask(&PlanStatus::about(&context.project_dir, task)?, &wish, context)
}

fn edit(args: &EditArgs, context: &Context) -> Result<u8, CommandError> {
    let changes = Box::new(args.fields.changes());
    if changes.names().is_empty() {
        let help = "name what to change, for example with --title, --criterion or --max-attempts";
        let what = format!("nothing to change about {}", args.task);
        return Err(told(what, Vec::new(), help.into(), exit::USAGE));
    }
    let standing = PlanStatus::find(&context.project_dir)?;
    ask::ask(&standing, &TaskWish::Edit { id: args.task.as_str().into(), changes }, context)
}
