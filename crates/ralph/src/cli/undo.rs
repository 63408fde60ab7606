//! `ralph undo N`: goes back to before an iteration of the last run.

use super::{args::UndoArgs, context::Context, unwired};
use crate::diagnostics::CommandError;

/// Runs `ralph undo`.
pub(crate) fn exec(args: &UndoArgs, context: &Context) -> Result<u8, CommandError> {
    unwired::undo(args, context)
}
