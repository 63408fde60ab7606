//! Times of day for people, in the zone of the screen.

use jiff::tz::TimeZone;
use ralph_core::time::{Millis, Timestamp};

/// `14:03:09`.
pub(crate) fn seconds(at: Timestamp, zone: &TimeZone) -> String {
    show(at, zone, "%H:%M:%S")
}

/// `23:59 UTC`, with the day where it is not soon.
pub(crate) fn soon(at: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    if at.since(now) > Millis::secs(20 * 3600) {
        show(at, zone, "%a %d %b %H:%M %Z")
    } else if at.since(now) < Millis::secs(120) {
        show(at, zone, "%H:%M:%S %Z")
    } else {
        show(at, zone, "%H:%M %Z")
    }
}

/// `2026-11-14 22:03:01 UTC`.
pub(crate) fn full(at: Timestamp, zone: &TimeZone) -> String {
    show(at, zone, "%Y-%m-%d %H:%M:%S %Z")
}

/// A clock that runs, in whole seconds from `0s`.
pub(crate) fn running(length: Millis) -> String {
    if length.0 < 1000 { "0s".into() } else { length.to_string() }
}

fn show(at: Timestamp, zone: &TimeZone, format: &str) -> String {
    jiff::Timestamp::from_millisecond(at.0).map_or_else(
        |_| at.to_string(),
        |at| at.to_zoned(zone.clone()).strftime(format).to_string(),
    )
}
