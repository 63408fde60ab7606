//! `ralph gate list|run`.

use super::{args::GateCommand, context::Context, unwired};
use crate::diagnostics::CommandError;

/// Runs `ralph gate`.
pub(crate) fn exec(command: &GateCommand, context: &Context) -> Result<u8, CommandError> {
    unwired::gate(command, context)
}
