//! Tells Copilot CLI's endings apart: it succeeded only if its result says 0, no error came and the process agrees.

use ralph_core::ending::Ending;

use crate::{
    exit::{ExitFacts, detail},
    failure::Failure,
    stream_state::StreamState,
};

/// What only this agent's stream says of its ending.
#[derive(Default)]
pub(super) struct Facts {
    /// What the `result` line says, if one came.
    pub succeeded: Option<bool>,
    /// The last `session.error`.
    pub error: Option<Failure>,
}

/// Its complaint about a login that is missing, on standard error before any JSON.
const NO_LOGIN: &str = "No authentication information found";

/// How the call ended.
pub(super) fn ending(told: &StreamState, facts: &Facts, exit: &ExitFacts) -> Ending {
    if let Some(forced) = told.forced_ending(exit) {
        return forced;
    }
    if let Some(error) = &facts.error {
        return error
            .ending()
            .or_else(|| told.failure.as_ref()?.ending())
            .unwrap_or_else(|| Ending::Crashed { detail: detail(&error.text) });
    }
    match facts.succeeded {
        Some(true) if exit.is_clean() => Ending::Ok,
        Some(_) => told.failure.as_ref().and_then(Failure::ending).unwrap_or_else(|| {
            Ending::Crashed { detail: format!("its result is no success; {}", exit.describe()) }
        }),
        None if told.understood == 0 && exit.stderr_tail.contains(NO_LOGIN) => {
            Ending::AuthFailed { detail: detail(&exit.stderr_tail) }
        }
        None => told.without_end(exit),
    }
}
