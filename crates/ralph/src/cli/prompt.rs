//! `ralph prompt`: works on a prompt file until its completion is claimed and proved.

use super::{context::Context, launch, run_args::PromptArgs};
use crate::diagnostics::CommandError;

/// Runs `ralph prompt`.
pub(crate) fn exec(args: &PromptArgs, context: &Context) -> Result<u8, CommandError> {
    launch::run(&args.request()?, &args.options, context)
}
