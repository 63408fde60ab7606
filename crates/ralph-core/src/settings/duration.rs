//! Lengths of time as people write them: `90s`, `20m`, `1h30m`, `250ms`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::time::Millis;

/// A length of time in settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Length(pub Millis);

impl Length {
    /// Reads `1h30m`, `20m`, `45s`, `250ms`, `0s`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = text.trim();
        if rest.is_empty() {
            return None;
        }
        let mut total: u64 = 0;
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit())?;
            let number: u64 = rest.get(..digits)?.parse().ok()?;
            rest = rest.get(digits..)?;
            let (unit, scale) =
                [("ms", 1), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("d", 86_400_000)]
                    .into_iter()
                    .find(|(unit, _)| rest.starts_with(unit))?;
            rest = rest.get(unit.len()..)?;
            total = total.checked_add(number.checked_mul(scale)?)?;
        }
        Some(Self(Millis(total)))
    }
}

impl std::fmt::Display for Length {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ms = self.0.0;
        if ms == 0 {
            return f.write_str("0s");
        }
        for (unit, scale) in [("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)] {
            let count = match unit {
                "h" => ms / scale,
                "ms" => ms % 1_000,
                _ => ms / scale % 60,
            };
            if count > 0 {
                write!(f, "{count}{unit}")?;
            }
        }
        Ok(())
    }
}

impl Serialize for Length {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            serde::de::Error::custom(format!(
                "`{text}` is not a duration such as 90s, 20m or 1h30m"
            ))
        })
    }
}

impl JsonSchema for Length {
    fn schema_name() -> Cow<'static, str> {
        "Length".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "A length of time: 250ms, 90s, 20m, 1h30m.",
            "pattern": "^([0-9]+(ms|s|m|h|d))+$"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_survive_their_written_form() {
        for text in ["0s", "250ms", "90s", "20m", "1h30m", "6h"] {
            let length = Length::parse(text);
            assert!(length.is_some(), "{text}");
            assert_eq!(length.and_then(|l| Length::parse(&l.to_string())), length);
        }
        for odd in ["", "12", "m", "-1s", "1x", "99999999999999999999s"] {
            assert_eq!(Length::parse(odd), None, "{odd}");
        }
    }
}
