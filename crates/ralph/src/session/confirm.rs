//! Whether a person agrees: a flag, a question on a terminal, or a refusal that names the flag.

use super::project::told;
use crate::{
    ask::Lean,
    context::Context,
    diagnostics::CommandError,
    exit,
    reporters::{block::Entry, line::Tone},
};

/// Asks unless `--yes` said so; tells when nothing is done.
pub(crate) fn agreed(yes: bool, context: &Context, question: &str) -> Result<bool, CommandError> {
    if yes {
        return Ok(true);
    }
    if !context.can_ask() {
        let what = format!("confirmation needed: {question}");
        let why = vec!["there is no terminal to ask on".into()];
        return Err(told(what, why, "add --yes to confirm".into(), exit::USAGE));
    }
    let is_agreed = context.asker()?.confirm(question, Lean::No)?;
    if !is_agreed {
        context.tell(&[Entry::text(0, Tone::Plain, "nothing was changed")])?;
    }
    Ok(is_agreed)
}
