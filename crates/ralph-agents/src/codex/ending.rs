//! Tells Codex's endings apart. Its failures are free text, so words decide; only `turn.completed` is a success.

use ralph_core::ending::Ending;

use crate::{
    exit::{ExitFacts, detail},
    failure::Failure,
    stream_state::StreamState,
};

/// How the stream says that the turn is over.
pub(super) enum End {
    Completed,
    Failed(Failure),
}

/// How the call ended. Whether its last message is the answer that was asked for is not judged here.
pub(super) fn ending(told: &StreamState, end: Option<&End>, exit: &ExitFacts) -> Ending {
    if let Some(forced) = told.forced_ending(exit) {
        return forced;
    }
    match end {
        Some(End::Completed) if exit.is_clean() => Ending::Ok,
        Some(End::Completed) => {
            Ending::Crashed { detail: format!("after its turn: {}", exit.describe()) }
        }
        Some(End::Failed(failure)) => failure
            .ending()
            .or_else(|| told.failure.as_ref()?.ending())
            .unwrap_or_else(|| Ending::Crashed { detail: detail(&failure.text) }),
        None => told.without_end(exit),
    }
}
