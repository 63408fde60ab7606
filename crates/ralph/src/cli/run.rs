//! `ralph run`: what was said becomes a run. The loop itself is the engine's.

use super::{context::Context, run_args::RunArgs, unwired};
use crate::diagnostics::CommandError;

/// Runs `ralph run`.
pub(crate) fn exec(args: &RunArgs, context: &Context) -> Result<u8, CommandError> {
    let request = args.request()?;
    unwired::run(&request, &args.options, context)
}
