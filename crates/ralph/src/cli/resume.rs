//! `ralph resume`: lets a paused run go on, or takes up an interrupted one.

use super::pause;
use crate::{args::run::ResumeArgs, context::Context, diagnostics::CommandError, session::take_up};

/// Runs `ralph resume`.
pub(crate) fn exec(args: &ResumeArgs, context: &Context) -> Result<u8, CommandError> {
    match pause::go_on(args, context)? {
        Some(code) => Ok(code),
        None => take_up::resume(args, context),
    }
}
