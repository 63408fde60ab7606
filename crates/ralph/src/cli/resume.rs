//! `ralph resume`: takes up an interrupted run.

use crate::command_line::{context::Context, run_args::ResumeArgs};
use crate::diagnostics::CommandError;
use crate::session::launch;

/// Runs `ralph resume`.
pub(crate) fn exec(args: &ResumeArgs, context: &Context) -> Result<u8, CommandError> {
    launch::resume(args, context)
}
