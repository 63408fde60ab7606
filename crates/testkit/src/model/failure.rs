//! The failures of a provider, in the words that each dialect has for them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// One failed request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// The account's allowance is used up until so many seconds from the request.
    UsageLimit { seconds: u64 },
    /// Too much is asked of the provider just now.
    Overloaded,
    /// The key opens nothing.
    LoginRefused,
    /// The conversation is longer than the model can read.
    TooLong,
}

impl Failure {
    pub(super) fn status(self) -> u16 {
        match self {
            Self::UsageLimit { .. } => 429,
            Self::Overloaded => 529,
            Self::LoginRefused => 401,
            Self::TooLong => 400,
        }
    }

    /// When the allowance comes back, in whole seconds as headers have it.
    pub(super) fn resets_at(self, now: SystemTime) -> Option<SystemTime> {
        let Self::UsageLimit { seconds } = self else { return None };
        let since = (now + Duration::from_secs(seconds)).duration_since(UNIX_EPOCH);
        Some(UNIX_EPOCH + Duration::from_secs(since.unwrap_or_default().as_secs()))
    }

    /// The headers by which limits are told, to API keys and to subscriptions.
    pub(super) fn headers(self, resets_at: Option<SystemTime>) -> Vec<(String, String)> {
        let Self::UsageLimit { seconds } = self else { return Vec::new() };
        let at = resets_at.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        let at = at.as_secs().to_string();
        let unified = [
            ("status", "rejected"),
            ("reset", &at),
            ("representative-claim", "five_hour"),
            ("5h-status", "rejected"),
            ("5h-reset", &at),
            ("5h-utilization", "1.0"),
        ]
        .map(|(name, value)| (format!("anthropic-ratelimit-unified-{name}"), value.to_owned()));
        [("retry-after".to_owned(), seconds.to_string())].into_iter().chain(unified).collect()
    }

    /// What people read.
    pub(super) fn message(self) -> &'static str {
        match self {
            Self::UsageLimit { .. } => "This request would exceed the account's rate limit.",
            Self::Overloaded => "Overloaded",
            Self::LoginRefused => "invalid x-api-key",
            Self::TooLong => "prompt is too long: 210000 tokens > 200000 maximum",
        }
    }
}
