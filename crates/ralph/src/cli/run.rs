//! `ralph run`: what was said becomes a run. The loop itself is the engine's.

use crate::{args::run::RunArgs, context::Context, diagnostics::CommandError, session::launch};

/// Runs `ralph run`.
pub(crate) fn exec(args: &RunArgs, context: &Context) -> Result<u8, CommandError> {
    launch::run(&args.request()?, &args.options, context)
}
