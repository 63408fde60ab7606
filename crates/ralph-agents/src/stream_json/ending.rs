//! How calls end in this format: what the stream said, how the process ended, and where its speakers differ.
//!
//! A `result` line that says `success` is no success: API errors look like that too. Only `is_error` tells.

use ralph_core::{ending::Ending, time::Timestamp};

use crate::{
    exit::{ExitFacts, cause, detail},
    failure::Failure,
    stream_state::StreamState,
};

/// How one agent speaks the format.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Dialect {
    /// Input tokens are counted with those that came from the cache or went there.
    pub input_has_cached: bool,
    /// How a message begins that the tool made of a failed request; empty where such messages are marked.
    pub error_text: &'static str,
    /// Words of an error that is only a missing structured answer; empty where it is no error.
    pub formless: &'static str,
    /// Exit codes that say that a limit of turns was reached.
    pub turn_limit: &'static [i32],
    /// Complaints about the command line that only this tool makes.
    pub refusals: &'static [Refusal],
}

/// A complaint on the error output, without any JSON.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Refusal {
    pub words: &'static str,
    /// What to show in place of the tool's own words.
    pub shown_as: Option<&'static str>,
}

/// What only this format's lines say of an ending.
#[derive(Default)]
pub(super) struct EndFacts {
    pub dialect: Dialect,
    /// The last complete `result` line.
    pub result: Option<ResultFacts>,
    /// The account's allowance was refused.
    pub is_rejected: bool,
    /// When the allowance comes back, if that was said.
    pub resets_at: Option<Timestamp>,
}

/// The verdict of a `result` line.
pub(super) struct ResultFacts {
    pub is_error: bool,
    pub subtype: String,
    pub terminal_reason: String,
    pub stop_reason: String,
    pub failure: Failure,
}

impl EndFacts {
    /// How the call ended.
    pub(super) fn ending(&self, state: &StreamState, exit: &ExitFacts) -> Ending {
        if exit.code.is_some_and(|code| self.dialect.turn_limit.contains(&code)) {
            return Ending::MaxTurns;
        }
        match &self.result {
            Some(result) if result.is_error => self.of_error(result, state, exit),
            Some(_) => StreamState::success(exit),
            None => self.without_result(state, exit),
        }
    }

    fn of_error(&self, result: &ResultFacts, state: &StreamState, exit: &ExitFacts) -> Ending {
        match (result.subtype.as_str(), result.terminal_reason.as_str()) {
            ("error_max_turns", _) | (_, "max_turns") => return Ending::MaxTurns,
            ("error_max_budget_usd", _) | (_, "budget_exhausted") => return Ending::Budget,
            ("error_max_structured_output_retries", _) => return Ending::StructuredOutputMissing,
            (_, "prompt_too_long") => return Ending::ContextOverflow,
            _ => {}
        }
        let formless = self.dialect.formless;
        if !formless.is_empty() && result.failure.text.contains(formless) {
            return Ending::StructuredOutputMissing;
        }
        if result.stop_reason == "refusal" {
            return Ending::Refused { detail: detail(&result.failure.text) };
        }
        if let Some(refused) = self.refused_command_line(exit) {
            return refused;
        }
        self.of_failure(&result.failure)
            .or_else(|| self.of_failure(state.failure.as_ref()?))
            .unwrap_or_else(|| Ending::Crashed { detail: detail(&result.failure.text) })
    }

    fn without_result(&self, state: &StreamState, exit: &ExitFacts) -> Ending {
        if let Some(ending) = state.failure.as_ref().and_then(|failure| self.of_failure(failure)) {
            return ending;
        }
        let refused = self.refused_command_line(exit).filter(|_| state.understood == 0);
        refused.unwrap_or_else(|| state.without_end(exit))
    }

    /// The ending a failed request means, with what the stream said about the allowance.
    fn of_failure(&self, failure: &Failure) -> Option<Ending> {
        let rejected = || self.is_rejected.then(|| failure.usage_limit());
        let mut ending = failure.ending().or_else(rejected);
        if let Some(Ending::UsageLimit { resets_at, .. }) = &mut ending {
            *resets_at = self.resets_at.or(*resets_at);
        }
        ending
    }

    fn refused_command_line(&self, exit: &ExitFacts) -> Option<Ending> {
        let complains = |refusal: &&Refusal| exit.stderr_tail.contains(refusal.words);
        match self.dialect.refusals.iter().find(complains) {
            Some(Refusal { shown_as, .. }) => {
                let detail =
                    shown_as.map_or_else(|| detail(&cause(&exit.stderr_tail)), str::to_owned);
                Some(Ending::NotFound { detail })
            }
            None => exit.refused(),
        }
    }
}
