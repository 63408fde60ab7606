//! `ralph prompt`: works on a prompt file until its completion is claimed and proved.

use crate::{args::run::PromptArgs, context::Context, diagnostics::CommandError, session::launch};

/// Runs `ralph prompt`.
pub(crate) fn exec(args: &PromptArgs, context: &Context) -> Result<u8, CommandError> {
    launch::run(&args.request()?, &args.options, context)
}
