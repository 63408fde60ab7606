//! `ralph resume`: takes up an interrupted run.

use super::{context::Context, run_args::ResumeArgs, unwired};
use crate::diagnostics::CommandError;

/// Runs `ralph resume`.
pub(crate) fn exec(args: &ResumeArgs, context: &Context) -> Result<u8, CommandError> {
    unwired::resume(args, context)
}
