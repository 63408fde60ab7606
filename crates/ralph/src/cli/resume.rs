//! `ralph resume`: takes up an interrupted run.

use super::{context::Context, launch, run_args::ResumeArgs};
use crate::diagnostics::CommandError;

/// Runs `ralph resume`.
pub(crate) fn exec(args: &ResumeArgs, context: &Context) -> Result<u8, CommandError> {
    launch::resume(args, context)
}
