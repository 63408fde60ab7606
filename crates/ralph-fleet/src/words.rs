//! Words around numbers and moments, and words from elsewhere.

use std::fmt::Display;

use jiff::Timestamp;

/// `1 stint`, `2 stints`.
pub(crate) fn count<N: Copy + Display + PartialEq + From<u8>>(n: N, one: &str) -> String {
    let ending = if n == N::from(1) { "" } else { "s" };
    format!("{n} {one}{ending}")
}

/// Text that came from elsewhere as one line, without anything that a terminal would obey.
pub(crate) fn harmless(text: &str) -> String {
    ralph_text::sanitise::clean(text).replace('\n', " ")
}

/// A moment in milliseconds since 1970, such as `2026-11-19 15:02 UTC`.
pub(crate) fn moment(at_ms: i64) -> String {
    let at = Timestamp::from_millisecond(at_ms).unwrap_or_default();
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}
