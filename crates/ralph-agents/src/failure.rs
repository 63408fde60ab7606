//! A failed request as an agent describes it, and the ending it means: the one table of words and statuses.

use ralph_core::ending::Ending;

use super::{
    exit::detail,
    reset::ResetHint,
    watch::{AUTHENTICATION_FAILED, CONTEXT_FULL, RATE_LIMIT},
};

/// One failed request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Failure {
    /// The agent's own word: `rate_limit`, `server_error`, `authentication_failed`, `billing_error` …
    pub error: String,
    /// HTTP status; 0 if none was told.
    pub status: u64,
    pub text: String,
}

impl Failure {
    /// A failure of which only words are known.
    pub(super) fn said(text: &str) -> Self {
        Self {
            text: ralph_text::cut::head(text, super::event::SHOWN).to_owned(),
            ..Self::default()
        }
    }

    /// The ending it means, if it is one of the known kinds.
    pub(super) fn ending(&self) -> Option<Ending> {
        let text = self.text.to_lowercase();
        let says = |any: &str| any.split('|').any(|words| text.contains(words));
        let status = if self.status == 0 { status_in(&text) } else { self.status };
        let error = self.error.as_str();
        if says(MODEL) {
            return Some(Ending::NotFound { detail: detail(&self.text) });
        }
        if says(OVERFLOW) || matches!(error, "context_window_exceeded" | "context_limit") {
            return Some(Ending::ContextOverflow);
        }
        if matches!(
            error,
            AUTHENTICATION_FAILED | "billing_error" | "auth" | "authentication" | "authorization"
        ) || matches!(status, 401..=403)
            || says(AUTH)
        {
            return Some(self.auth_failed());
        }
        if matches!(error, RATE_LIMIT | "usage_limit_reached" | "quota")
            || status == 429
            || says(LIMIT)
            || (text.contains("limit") && text.contains("resets "))
        {
            return Some(self.usage_limit());
        }
        let is_overload = matches!(error, "overloaded" | "server_error")
            || (500..600).contains(&status)
            || says(OVERLOAD);
        is_overload.then(|| Ending::Overloaded { detail: detail(&self.text) })
    }

    /// A usage limit, with its end where the words tell it.
    pub(super) fn usage_limit(&self) -> Ending {
        let resets_at = ResetHint::read(&self.text).and_then(|hint| hint.moment());
        Ending::UsageLimit { resets_at, detail: detail(&self.text) }
    }

    pub(super) fn auth_failed(&self) -> Ending {
        let text = if self.text.is_empty() { &self.error } else { &self.text };
        Ending::AuthFailed { detail: detail(text) }
    }

    /// One word for people and for the watch, the same for every agent.
    pub(super) fn word(&self) -> String {
        match self.ending() {
            Some(Ending::AuthFailed { .. }) => AUTHENTICATION_FAILED.into(),
            Some(Ending::UsageLimit { .. }) => RATE_LIMIT.into(),
            Some(Ending::ContextOverflow) => CONTEXT_FULL.into(),
            Some(Ending::Overloaded { .. }) if self.error.is_empty() => "overloaded".into(),
            _ if self.error.is_empty() => detail(&self.text),
            _ => self.error.clone(),
        }
    }
}

/// Words of failures in lower case, apart by bars. There is no such model, or not for this account: the next request would fail too.
const MODEL: &str = "issue with the selected model|model not found|model_not_found|unknown model|model is not supported|\
    is not a valid model";
const OVERFLOW: &str = "prompt is too long|prompt as too long|context_length_exceeded|context length|context window|\
    input token count exceeds|maximum number of tokens allowed";
const AUTH: &str = "credit balance is too low|insufficient_quota|please run /login|invalid api key|incorrect api key|\
    api key not valid|invalid authentication";
const LIMIT: &str = "hit your limit|usage limit|too many requests|rate limit|resource_exhausted|exhausted your|\
    quota exceeded";
/// The provider is busy, broken or out of reach.
const OVERLOAD: &str = "overloaded|high demand|service unavailable|stream disconnected|internal server error|bad gateway|\
    gateway timeout|connection error|connection refused|connection reset|econnrefused|econnreset|\
    etimedout|enotfound|eai_again|fetch failed|network error|network is unreachable|\
    error sending request|socket hang up";

/// The HTTP status in texts such as `API error: 529 …` or `unexpected status 401 …`.
fn status_in(lower: &str) -> u64 {
    let after = ["api error", "status", "code"].iter().find_map(|lead| lower.split_once(lead));
    let Some((_, after)) = after else {
        return 0;
    };
    after
        .split(|c: char| !c.is_ascii_digit())
        .filter(|digits| digits.len() == 3)
        .find_map(|digits| digits.parse().ok())
        .unwrap_or(0)
}
