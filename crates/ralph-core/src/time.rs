//! Points in time and lengths of time, as plain numbers: the core is given the time, it never asks.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Milliseconds since 1970-01-01 UTC; written as RFC 3339.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// This moment moved by a length of time.
    #[must_use]
    pub fn plus(self, length: Millis) -> Self {
        Self(self.0.saturating_add(i64::try_from(length.0).unwrap_or(i64::MAX)))
    }

    /// How long after `earlier` this is; zero if it is not later.
    pub fn since(self, earlier: Self) -> Millis {
        Millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// Reads RFC 3339, and the plain form of moments that have none.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(number) = text.strip_suffix("ms") {
            return number.parse().ok().map(Self);
        }
        text.parse::<jiff::Timestamp>().ok().map(|at| Self(at.as_millisecond()))
    }
}

impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(at) => write!(f, "{at:.3}"),
            Err(_) => write!(f, "{}ms", self.0),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("not a time: {text}")))
    }
}

/// A length of time in milliseconds.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Millis(pub u64);

impl Millis {
    /// Whole seconds.
    pub const fn secs(seconds: u64) -> Self {
        Self(seconds.saturating_mul(1000))
    }

    /// Nothing set: many limits read zero as "none".
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Both lengths together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Scaled by a factor of at least zero.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "lengths of time stay far below 2^52 ms, and the factor is checked"
    )]
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        if factor.is_finite() && factor >= 0.0 {
            Self((self.0 as f64 * factor) as u64)
        } else {
            self
        }
    }
}

impl std::fmt::Display for Millis {
    /// `950ms`, `14s`, `3m12s`, `1h05m`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seconds = self.0 / 1000;
        match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
            (0, 0, 0) => write!(f, "{}ms", self.0),
            (0, 0, s) => write!(f, "{s}s"),
            (0, m, s) => write!(f, "{m}m{s:02}s"),
            (h, m, _) => write!(f, "{h}h{m:02}m"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_survive_their_written_form() {
        let at = Timestamp(1_794_700_800_123);
        assert_eq!(Timestamp::parse(&at.to_string()), Some(at));
    }

    #[test]
    fn lengths_read_like_a_clock() {
        let shown: Vec<_> =
            [950, 14_200, 192_000, 3_900_000].map(|ms| Millis(ms).to_string()).into();
        assert_eq!(shown, ["950ms", "14s", "3m12s", "1h05m"]);
    }
}
