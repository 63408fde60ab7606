//! `ralph run`: what was said becomes a run. The loop itself is the engine's.

use crate::command_line::{context::Context, run_args::RunArgs};
use crate::diagnostics::CommandError;
use crate::session::launch;

/// Runs `ralph run`.
pub(crate) fn exec(args: &RunArgs, context: &Context) -> Result<u8, CommandError> {
    launch::run(&args.request()?, &args.options, context)
}
