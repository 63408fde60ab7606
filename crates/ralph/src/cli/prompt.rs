//! `ralph prompt`: what was said becomes a run. The loop itself is the engine's.

use super::{context::Context, run_args::PromptArgs, unwired};
use crate::diagnostics::CommandError;

/// Runs `ralph prompt`.
pub(crate) fn exec(args: &PromptArgs, context: &Context) -> Result<u8, CommandError> {
    let request = args.request()?;
    unwired::run(&request, &args.options, context)
}
