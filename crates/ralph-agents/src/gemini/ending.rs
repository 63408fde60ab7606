//! Tells Gemini CLI's endings apart. It exits with 0 after a signal too: only a `result` that says so is a success.

use ralph_core::ending::Ending;

use crate::{
    exit::{ExitFacts, detail},
    failure::Failure,
    stream_state::StreamState,
};

/// How the stream says that the turn is over.
pub(super) enum End {
    Succeeded,
    Failed {
        /// The CLI's own name of it: `FatalTurnLimitedError`, or `unknown`.
        kind: String,
        failure: Failure,
    },
}

/// HTTP statuses that tell something, of which the CLI makes exit codes by cutting them to a byte.
const STATUSES: [u64; 8] = [401, 403, 429, 500, 502, 503, 504, 529];

/// How the call ended.
pub(super) fn ending(told: &StreamState, end: Option<&End>, exit: &ExitFacts) -> Ending {
    if let Some(forced) = told.forced_ending(exit) {
        return forced;
    }
    match end {
        Some(End::Succeeded) if exit.is_clean() => Ending::Ok,
        Some(End::Succeeded) => {
            Ending::Crashed { detail: format!("after its turn: {}", exit.describe()) }
        }
        Some(End::Failed { kind, failure }) => of_error(kind, failure, told, exit),
        None => of_code(exit)
            .filter(|_| exit.signal.is_none())
            .unwrap_or_else(|| told.without_end(exit)),
    }
}

fn of_error(kind: &str, failure: &Failure, told: &StreamState, exit: &ExitFacts) -> Ending {
    if kind == "FatalTurnLimitedError" {
        return Ending::MaxTurns;
    }
    failure
        .ending()
        .or_else(|| of_code(exit))
        .or_else(|| told.failure.as_ref()?.ending())
        .unwrap_or_else(|| Ending::Crashed { detail: detail(&failure.text) })
}

/// What the exit code alone says.
fn of_code(exit: &ExitFacts) -> Option<Ending> {
    let code = exit.code?;
    match code {
        41 => return Some(Ending::AuthFailed { detail: exit.describe() }),
        // Input, sandbox, configuration or folder trust: it would be the same the next time.
        42 | 44 | 52 | 55 => return Some(Ending::NotFound { detail: exit.describe() }),
        53 => return Some(Ending::MaxTurns),
        _ => {}
    }
    let byte = u64::try_from(code).ok()?;
    let status = STATUSES.into_iter().find(|status| status % 256 == byte)?;
    Failure { status, text: exit.describe(), ..Failure::default() }.ending()
}
