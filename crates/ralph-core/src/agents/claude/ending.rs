//! Tells Claude Code's endings apart, from what the stream said and how the process ended.
//!
//! A `result` line that says `success` is no success: API errors look like that too. Only `is_error` tells.

use crate::{
    agents::{
        exit::{ExitFacts, detail},
        reset::ResetHint,
        watch::AUTHENTICATION_FAILED,
    },
    ending::Ending,
    time::Timestamp,
};

/// Complaints about our own command line; they come on standard error, without any JSON.
const REFUSALS: [&str; 6] = [
    "unknown option",
    "too many arguments",
    "argument missing",
    "is invalid",
    "is already in use",
    "No conversation found",
];

/// Its complaint about root, and what to do about it.
const ROOT: &str = "cannot be used with root/sudo";
const NOT_AS_ROOT: &str = "Claude Code does not work unattended as root; run ralph as an ordinary user, or set \
                           IS_SANDBOX=1 in a container that holds nothing but this work";

/// What the stream said that an ending can be told from.
#[derive(Default)]
pub(super) struct Facts {
    /// The last complete `result` line.
    pub result: Option<ResultFacts>,
    /// An error message of the CLI that nothing of the model's followed.
    pub failure: Option<Failure>,
    /// The account's allowance was refused.
    pub is_rejected: bool,
    /// When the allowance comes back, if that was said.
    pub resets_at: Option<Timestamp>,
    /// Lines of a known type.
    pub understood: u64,
    /// Lines that are no JSON object.
    pub unreadable: u64,
}

/// The verdict of a `result` line.
#[derive(Default)]
pub(super) struct ResultFacts {
    pub is_error: bool,
    pub subtype: String,
    pub terminal_reason: String,
    pub stop_reason: String,
    pub failure: Failure,
}

/// One failed request, as the CLI describes it.
#[derive(Default)]
pub(super) struct Failure {
    /// `rate_limit`, `server_error`, `authentication_failed`, `billing_error` …
    pub error: String,
    /// HTTP status; 0 if none was told.
    pub status: u64,
    pub text: String,
}

impl Facts {
    /// How the call ended.
    pub(super) fn ending(&self, exit: &ExitFacts) -> Ending {
        if let Some(forced) = exit.forced_ending() {
            return match (&self.failure, forced) {
                (Some(failure), Ending::AuthFailed { .. }) => failure.auth_failed(),
                (_, forced) => forced,
            };
        }
        match &self.result {
            Some(result) if !result.is_error => Ending::Ok,
            Some(result) => self.of_error(result, exit),
            None => self.without_result(exit),
        }
    }

    /// When the limit ends, as far as the words of the last failure tell.
    pub(super) fn reset_hint(&self) -> Option<ResetHint> {
        let result = self.result.as_ref().filter(|result| result.is_error).map(|r| &r.failure);
        [result, self.failure.as_ref()].into_iter().flatten().find_map(|f| ResetHint::read(&f.text))
    }

    fn of_error(&self, result: &ResultFacts, exit: &ExitFacts) -> Ending {
        match (result.subtype.as_str(), result.terminal_reason.as_str()) {
            ("error_max_turns", _) | (_, "max_turns") => return Ending::MaxTurns,
            ("error_max_budget_usd", _) | (_, "budget_exhausted") => return Ending::Budget,
            ("error_max_structured_output_retries", _) => return Ending::StructuredOutputMissing,
            (_, "prompt_too_long") => return Ending::ContextOverflow,
            _ => {}
        }
        if result.stop_reason == "refusal" {
            return Ending::Refused { detail: detail(&result.failure.text) };
        }
        if let Some(refused) = refused_command_line(exit) {
            return refused;
        }
        self.of_failure(&result.failure)
            .or_else(|| self.of_failure(self.failure.as_ref()?))
            .unwrap_or_else(|| Ending::Crashed { detail: detail(&result.failure.text) })
    }

    fn without_result(&self, exit: &ExitFacts) -> Ending {
        if let Some(ending) = self.failure.as_ref().and_then(|failure| self.of_failure(failure)) {
            return ending;
        }
        match (self.understood, self.unreadable) {
            (0, 0) => refused_command_line(exit).unwrap_or_else(|| exit.ending_without_output()),
            (0, lines) => refused_command_line(exit).unwrap_or_else(|| Ending::Malformed {
                detail: format!("none of its {lines} lines of output is of the expected form"),
            }),
            _ => Ending::Crashed { detail: format!("no result; {}", exit.describe()) },
        }
    }

    /// The ending a failed request means, if it is one of the known kinds.
    fn of_failure(&self, failure: &Failure) -> Option<Ending> {
        let text = failure.text.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
        let status = if failure.status == 0 { status_in(&text) } else { failure.status };
        let is_auth = matches!(failure.error.as_str(), AUTHENTICATION_FAILED | "billing_error")
            || matches!(status, 401..=403)
            || says(&["credit balance is too low", "please run /login", "invalid api key"]);
        let is_limit = matches!(failure.error.as_str(), "rate_limit" | "usage_limit_reached")
            || status == 429
            || says(&["hit your limit", "usage limit"])
            || (says(&["limit"]) && says(&["resets "]));
        let is_overload = matches!(failure.error.as_str(), "overloaded" | "server_error")
            || (500..600).contains(&status)
            || says(&["overloaded"]);
        if is_auth {
            Some(failure.auth_failed())
        } else if is_limit {
            Some(self.usage_limit(failure))
        } else if is_overload {
            Some(Ending::Overloaded { detail: detail(&failure.text) })
        } else if says(&["prompt is too long"]) {
            Some(Ending::ContextOverflow)
        } else {
            self.is_rejected.then(|| self.usage_limit(failure))
        }
    }

    fn usage_limit(&self, failure: &Failure) -> Ending {
        let said = match ResetHint::read(&failure.text) {
            Some(ResetHint::At { at }) => Some(at),
            _ => None,
        };
        Ending::UsageLimit { resets_at: self.resets_at.or(said), detail: detail(&failure.text) }
    }
}

impl Failure {
    fn auth_failed(&self) -> Ending {
        let text = if self.text.is_empty() { &self.error } else { &self.text };
        Ending::AuthFailed { detail: detail(text) }
    }
}

fn refused_command_line(exit: &ExitFacts) -> Option<Ending> {
    if exit.stderr_tail.contains(ROOT) {
        return Some(Ending::NotFound { detail: NOT_AS_ROOT.to_owned() });
    }
    let complains = REFUSALS.iter().any(|words| exit.stderr_tail.contains(words));
    complains.then(|| Ending::NotFound { detail: detail(&exit.stderr_tail) })
}

/// The HTTP status in texts such as `api error: 529 overloaded`.
fn status_in(lower: &str) -> u64 {
    let Some((_, after)) = lower.split_once("api error") else {
        return 0;
    };
    after
        .split(|c: char| !c.is_ascii_digit())
        .filter(|digits| digits.len() == 3)
        .find_map(|digits| digits.parse().ok())
        .unwrap_or(0)
}
