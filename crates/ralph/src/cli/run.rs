//! `ralph run`: what was said becomes a run. The loop itself is the engine's.

use super::{context::Context, launch, run_args::RunArgs};
use crate::diagnostics::CommandError;

/// Runs `ralph run`.
pub(crate) fn exec(args: &RunArgs, context: &Context) -> Result<u8, CommandError> {
    launch::run(&args.request()?, &args.options, context)
}
