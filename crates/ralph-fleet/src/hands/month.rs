//! The moment, and its month in UTC, as budgets are named by it.

use jiff::{Timestamp, tz::TimeZone};

/// Milliseconds since 1970.
pub fn now_ms() -> i64 {
    Timestamp::now().as_millisecond()
}

/// Such as `2026-11`.
pub fn month(at_ms: i64) -> String {
    let at = Timestamp::from_millisecond(at_ms).unwrap_or_default();
    at.to_zoned(TimeZone::UTC).strftime("%Y-%m").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_turn_at_midnight_and_leap_days_are_counted() {
        let second = 1000;
        for (at, expected) in [
            (0, "1970-01"),
            (1_709_164_800 * second, "2024-02"),
            (1_709_251_199 * second, "2024-02"),
            (1_709_251_200 * second, "2024-03"),
            (1_798_761_599 * second, "2026-12"),
            (1_798_761_600 * second, "2027-01"),
        ] {
            assert_eq!(month(at), expected);
        }
    }
}
