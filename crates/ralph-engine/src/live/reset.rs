//! Reset times that need to know time zones, which the core does not.

use jiff::{Timestamp as Moment, ToSpan, tz::TimeZone};
use ralph_agents::{StreamReport, reset::ResetHint};
use ralph_core::{ending::Ending, time::Timestamp};

/// Puts the time of a clock in a named zone into a usage limit that has no time yet.
pub(super) fn resolve_by_zone(stream: &mut StreamReport, now: Timestamp) {
    if let Ending::UsageLimit { resets_at: resets_at @ None, .. } = &mut stream.ending
        && let Some(ResetHint::Clock { date, hour, minute, zone }) = &stream.reset_hint
    {
        *resets_at = next_clock(now, *date, (*hour, *minute), zone.as_deref().unwrap_or_default());
    }
}

/// The next time that a clock in this zone (the machine's own if it is empty) shows this.
fn next_clock(
    now: Timestamp,
    date: Option<(i8, i8)>,
    (hour, minute): (i8, i8),
    zone: &str,
) -> Option<Timestamp> {
    let zone = if zone.is_empty() { TimeZone::system() } else { TimeZone::get(zone).ok()? };
    let here = Moment::from_millisecond(now.0).ok()?.to_zoned(zone);
    let wanted = here.with().hour(hour).minute(minute).second(0).subsec_nanosecond(0);
    let (wanted, again) = match date {
        Some((month, day)) => (wanted.month(month).day(day), 1.year()),
        None => (wanted, 1.day()),
    };
    let first = wanted.build().ok()?;
    let next = if first > here { first } else { first.checked_add(again).ok()? };
    Some(Timestamp(next.timestamp().as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_past_today_means_tomorrow() {
        let now = Timestamp::parse("2026-11-15T22:30:00Z");
        let at = |clock, zone| now.and_then(|now| next_clock(now, None, clock, zone));
        assert_eq!(at((23, 59), "UTC"), Timestamp::parse("2026-11-15T23:59:00Z"));
        assert_eq!(at((9, 0), "UTC"), Timestamp::parse("2026-11-16T09:00:00Z"));
        assert_eq!(at((3, 0), "Europe/Berlin"), Timestamp::parse("2026-11-16T02:00:00Z"));
        assert_eq!(at((3, 0), "Nowhere/Land"), None);
        let dated = now.and_then(|now| next_clock(now, Some((11, 20)), (6, 0), "UTC"));
        assert_eq!(dated, Timestamp::parse("2026-11-20T06:00:00Z"));
    }
}
