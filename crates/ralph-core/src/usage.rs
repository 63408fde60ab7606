//! What an agent call cost: tokens and money, summed per iteration, task and run.

use serde::{Deserialize, Serialize};

/// Millionths of a US dollar, whole so that sums are exact.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct MicroUsd(pub u64);

impl MicroUsd {
    /// From dollars as agents report them; anything that is not a sum of money counts as zero.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the value is checked to be finite and not negative; a cast saturates"
    )]
    pub fn from_dollars(dollars: f64) -> Self {
        if dollars.is_finite() && dollars > 0.0 { Self((dollars * 1e6).round() as u64) } else { Self(0) }
    }
}

impl std::fmt::Display for MicroUsd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let cents = (self.0 + 5_000) / 10_000;
        write!(f, "${}.{:02}", cents / 100, cents % 100)
    }
}

/// Tokens and money of one or many agent calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens sent, cached ones included where the agent says so.
    pub input: u64,
    /// Tokens received.
    pub output: u64,
    /// Tokens read from the provider's cache.
    pub cache_read: u64,
    /// Tokens written to the provider's cache.
    pub cache_write: u64,
    /// Money, where the agent reports it.
    pub cost: MicroUsd,
}

impl Usage {
    /// Both together.
    pub fn add(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.cost.0 = self.cost.0.saturating_add(other.cost.0);
    }

    /// Every token that was paid for.
    pub fn tokens(&self) -> u64 {
        [self.input, self.output, self.cache_read, self.cache_write]
            .into_iter()
            .fold(0, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_that_is_no_money_counts_as_zero() {
        for odd in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
            assert_eq!(MicroUsd::from_dollars(odd), MicroUsd(0));
        }
        assert_eq!(MicroUsd::from_dollars(0.412).to_string(), "$0.41");
    }
}
