//! The moment, and its month in UTC, as budgets are named by it.

use std::time::{SystemTime, UNIX_EPOCH};

const DAY_MS: i64 = 24 * 3600 * 1000;
/// Days from 0000-03-01 to 1970-01-01. A year that begins in March has its leap day at its end.
const MARCH_ZERO: i64 = 719_468;
/// Days in 400 years, after which the calendar repeats.
const ERA: i64 = 146_097;

/// Milliseconds since 1970.
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Such as `2026-11`.
pub fn month(at_ms: i64) -> String {
    let days = at_ms.div_euclid(DAY_MS) + MARCH_ZERO;
    let (era, day) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let (month, is_next_year) =
        if from_march < 10 { (from_march + 3, 0) } else { (from_march - 9, 1) };
    format!("{:04}-{month:02}", year + era * 400 + is_next_year)
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
