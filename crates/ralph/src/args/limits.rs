//! `--max-cost`, `--max-tokens` and `--max-duration`, wherever a run is started or resumed, and how people write money and time.

use clap::Args;
use ralph_core::settings::{Flag, Length};

/// What a run may use, besides iterations.
#[expect(clippy::struct_field_names, reason = "clap names the flags after the fields")]
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct LimitArgs {
    /// Maximum cost in US dollars; 0: no limit
    #[arg(long, value_name = "USD", value_parser = cost)]
    pub(crate) max_cost: Option<f64>,
    /// Maximum tokens, those of caches included; 0: no limit
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u64>,
    /// Maximum working time, such as 4h or 1h30m; 0: no limit
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    pub(crate) max_duration: Option<Length>,
}

impl LimitArgs {
    /// The settings that were given.
    pub(crate) fn flags(&self) -> impl Iterator<Item = Flag> {
        let given = [
            ("--max-cost", "limits.max_cost_usd", self.max_cost.map(|cost| format!("{cost:?}"))),
            ("--max-tokens", "limits.max_tokens", self.max_tokens.map(|most| most.to_string())),
            ("--max-duration", "limits.max_duration", self.max_duration.map(|one| one.to_string())),
        ];
        given.into_iter().filter_map(|(name, key, value)| {
            Some(Flag { name: name.into(), key: key.into(), value: value? })
        })
    }
}

/// Money for a run, as people write it.
pub(crate) fn cost(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_start_matches('$').parse::<f64>().ok();
    number
        .filter(|cost| cost.is_finite() && *cost >= 0.0)
        .ok_or_else(|| "enter an amount in dollars, such as 20 or 7.50".into())
}

/// Time for a run, as people write it.
pub(crate) fn length(text: &str) -> Result<Length, String> {
    let zero = (text.trim() == "0").then(Length::default);
    zero.or_else(|| Length::parse(text))
        .ok_or_else(|| "enter a duration, such as 45m, 4h or 1d".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_and_time_are_read_as_people_write_them() {
        assert_eq!(cost("$7.50"), Ok(7.5));
        assert_eq!(cost("0"), Ok(0.0));
        for wrong in ["", "much", "-1", "inf", "NaN"] {
            assert!(cost(wrong).is_err(), "{wrong}");
        }
        assert_eq!(length("90m").map(|length| length.to_string()), Ok("1h30m".into()));
        assert_eq!(length("0").map(|length| length.to_string()), Ok("0s".into()));
        assert!(length("4").is_err() && length("").is_err());
    }
}
