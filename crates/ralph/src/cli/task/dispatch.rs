//! From the second word to its file.

use super::{add, answer, approve, edit, list, proposals, retry, show, skip};
use crate::{args::task::TaskCommand, context::Context, diagnostics::CommandError};

/// Runs `ralph task`.
pub(crate) fn exec(command: &TaskCommand, context: &Context) -> Result<u8, CommandError> {
    match command {
        TaskCommand::List => list::exec(context),
        TaskCommand::Show(args) => show::exec(args, context),
        TaskCommand::Add(args) => add::exec(args, context),
        TaskCommand::Edit(args) => edit::exec(args, context),
        TaskCommand::Skip(args) => skip::exec(args, context),
        TaskCommand::Retry(args) => retry::exec(args, context),
        TaskCommand::Approve(args) => approve::exec(args, context),
        TaskCommand::Answer(args) => answer::exec(args, context),
        TaskCommand::Proposals(args) => proposals::exec(args, context),
    }
}
