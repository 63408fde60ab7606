//! What an agent call cost: tokens and money, summed per iteration, task and run.

use std::collections::BTreeMap;

use schemars::JsonSchema;
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
        if dollars.is_finite() && dollars > 0.0 {
            Self((dollars * 1e6).round() as u64)
        } else {
            Self(0)
        }
    }
}

impl std::fmt::Display for MicroUsd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let cents = self.0.saturating_add(5_000) / 10_000;
        write!(f, "${}.{:02}", cents / 100, cents % 100)
    }
}

/// Tokens and money of one or many agent calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens sent, without those read from or written to the provider's cache.
    pub input: u64,
    /// Tokens received.
    pub output: u64,
    /// Tokens read from the provider's cache.
    pub cache_read: u64,
    /// Tokens written to the provider's cache.
    pub cache_write: u64,
    /// Money: as the agent reports it, else estimated from the settings' prices.
    pub cost: MicroUsd,
    /// Some of the money is an estimate.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_estimate: bool,
}

impl Usage {
    /// Both together.
    pub fn add(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.cost.0 = self.cost.0.saturating_add(other.cost.0);
        self.is_estimate |= other.is_estimate;
    }

    /// The money, if any was reported or estimated: an agent that reports none is not free.
    pub fn known_cost(&self) -> Option<MicroUsd> {
        Some(self.cost).filter(|cost| cost.0 > 0)
    }

    /// Every token that was paid for.
    pub fn tokens(&self) -> u64 {
        [self.input, self.output, self.cache_read, self.cache_write]
            .into_iter()
            .fold(0, u64::saturating_add)
    }
}

/// What a model's tokens cost, in US dollars per million.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Price {
    /// Tokens sent.
    pub input: f64,
    /// Tokens received.
    pub output: f64,
    /// Tokens read from the provider's cache.
    pub cache_read: f64,
    /// Tokens written to the provider's cache.
    pub cache_write: f64,
}

/// Prices by model, for agents that report only tokens.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Prices(pub BTreeMap<String, Price>);

impl Prices {
    /// The usage with its money estimated, if the agent reported none and the model's price is known.
    ///
    /// A price holds for every model whose name begins with its own; the longest such name wins.
    #[must_use]
    pub fn complete(&self, model: &str, usage: Usage) -> Usage {
        let known = self.0.iter().filter(|(name, _)| model.starts_with(name.as_str()));
        let Some((_, price)) = known.max_by_key(|(name, _)| name.len()) else {
            return usage;
        };
        if usage.cost.0 > 0 || model.is_empty() {
            return usage;
        }
        let parts = [
            (usage.input, price.input),
            (usage.output, price.output),
            (usage.cache_read, price.cache_read),
            (usage.cache_write, price.cache_write),
        ];
        #[expect(clippy::cast_precision_loss, reason = "token counts stay far below 2^53")]
        let dollars = parts.iter().map(|(tokens, price)| *tokens as f64 * price / 1e6).sum();
        Usage { cost: MicroUsd::from_dollars(dollars), is_estimate: true, ..usage }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_that_a_model_begins_with_gives_its_price() {
        let price = |input| Price { input, output: 10.0, ..Price::default() };
        let prices = Prices([("gpt".to_owned(), price(1.0)), ("gpt-x".into(), price(2.0))].into());
        let usage = Usage { input: 500_000, output: 100_000, ..Usage::default() };
        assert_eq!(prices.complete("gpt-x-mini", usage).cost, MicroUsd(2_000_000));
        assert_eq!(prices.complete("gpt-y", usage).cost, MicroUsd(1_500_000));
        assert!(prices.complete("gpt-y", usage).is_estimate);
        assert_eq!(prices.complete("other", usage), usage);
        let told = Usage { cost: MicroUsd(7), ..usage };
        assert_eq!(prices.complete("gpt-x", told), told);
    }

    #[test]
    fn money_that_is_no_money_counts_as_zero() {
        for odd in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
            assert_eq!(MicroUsd::from_dollars(odd), MicroUsd(0));
        }
        assert_eq!(MicroUsd::from_dollars(0.412).to_string(), "$0.41");
        assert_eq!(MicroUsd::from_dollars(1e308).to_string(), "$18446744073709.55");
    }
}
