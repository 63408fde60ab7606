//! When a usage limit ends, as agents say it in words: an epoch after a bar, a length, or a clock time with a zone.
//!
//! Never asks for the time or for a zone's rules: what needs them stays a hint for the engine.

use ralph_core::time::{Millis, Timestamp};
use serde::{Deserialize, Serialize};

/// What an agent's words say about the end of a usage limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "hint", rename_all = "snake_case")]
pub enum ResetHint {
    At {
        at: Timestamp,
    },
    /// So long after it was said.
    After {
        length: Millis,
    },
    /// The next time this clock shows this; the zone as written, such as `Europe/Berlin`.
    Clock {
        /// Month and day, where they are said.
        date: Option<(i8, i8)>,
        hour: i8,
        minute: i8,
        zone: Option<String>,
    },
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

impl ResetHint {
    /// Finds a hint in the words of a usage limit.
    pub fn read(text: &str) -> Option<Self> {
        epoch(text).or_else(|| length(text)).or_else(|| clock(text))
    }

    /// The moment it names itself.
    pub(super) fn moment(&self) -> Option<Timestamp> {
        match self {
            Self::At { at } => Some(*at),
            Self::After { .. } | Self::Clock { .. } => None,
        }
    }

    /// The moment meant, if it can be told without a zone's rules: the first one after `now`.
    pub fn resolve(&self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Self::At { at } => Some(*at),
            Self::After { length } => Some(now.plus(*length)),
            Self::Clock { zone: Some(zone), date, hour, minute } if is_utc(zone) => {
                next_utc(*date, (*hour, *minute), now)
            }
            Self::Clock { .. } => None,
        }
    }
}

fn is_utc(zone: &str) -> bool {
    ["utc", "gmt", "z", "etc/utc"].contains(&zone.to_ascii_lowercase().as_str())
}

/// The next moment after `now` at which a clock in UTC shows this.
fn next_utc(date: Option<(i8, i8)>, clock: (i8, i8), now: Timestamp) -> Option<Timestamp> {
    let utc = jiff::tz::Offset::UTC;
    let today = utc.to_datetime(jiff::Timestamp::from_millisecond(now.0).ok()?).date();
    let at = |day: jiff::civil::Date| {
        let moment = utc.to_timestamp(day.at(clock.0, clock.1, 0, 0)).ok()?;
        Some(Timestamp(moment.as_millisecond()))
    };
    let candidates = match date {
        None => [Some(today), today.tomorrow().ok()],
        Some((month, day)) => [0, 1].map(|years| {
            jiff::civil::Date::new(today.year().saturating_add(years), month, day).ok()
        }),
    };
    candidates.into_iter().flatten().filter_map(at).find(|moment| *moment > now)
}

/// The moments at which a limit may end: 2000 to 2100. Any other number is no such moment.
const PLAUSIBLE: std::ops::Range<i64> = 946_684_800_000..4_102_444_800_000;

/// The moment itself, if a limit may end then.
pub(super) fn plausible(at: Timestamp) -> Option<Timestamp> {
    PLAUSIBLE.contains(&at.0).then_some(at)
}

/// This many seconds after 1970, if a limit may end then.
pub(super) fn at_second(seconds: u64) -> Option<Timestamp> {
    plausible(Timestamp(i64::try_from(seconds).ok()?.saturating_mul(1000)))
}

/// `…|1794699386`, in seconds or milliseconds.
fn epoch(text: &str) -> Option<ResetHint> {
    text.split('|').skip(1).find_map(|after| {
        let digits = after.trim_start();
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let number: i64 = digits[..end].parse().ok()?;
        let at = match end {
            10 => Timestamp(number.saturating_mul(1000)),
            13 => Timestamp(number),
            _ => return None,
        };
        Some(ResetHint::At { at: plausible(at)? })
    })
}

/// `reset after 42h1m20s`, `resets in 3 hours`, `try again in 3 days 6 hours 57 minutes`.
fn length(text: &str) -> Option<ResetHint> {
    let lower = text.to_ascii_lowercase();
    let leads = ["reset after ", "resets after ", "reset in ", "resets in ", "try again in "];
    let said = leads.iter().find_map(|lead| Some(lower.split_once(lead)?.1))?;
    let mut rest = said.trim_start();
    let mut seconds = 0_u64;
    while let Some(end) = rest.find(|c: char| !c.is_ascii_digit()).filter(|end| *end > 0) {
        let number: u64 = rest[..end].parse().ok()?;
        let after = rest[end..].trim_start();
        let unit = &after[..after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len())];
        let Some(each) = seconds_of(unit) else {
            break;
        };
        seconds = seconds.saturating_add(number.saturating_mul(each));
        rest = after[unit.len()..].trim_start();
    }
    (seconds > 0).then(|| ResetHint::After { length: Millis::secs(seconds.min(LONGEST)) })
}

/// No limit lasts longer than this many seconds.
const LONGEST: u64 = 366 * 24 * 3600;

fn seconds_of(unit: &str) -> Option<u64> {
    Some(match unit {
        "d" | "day" | "days" => 24 * 3600,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3600,
        "m" | "min" | "mins" | "minute" | "minutes" => 60,
        "s" | "sec" | "secs" | "second" | "seconds" => 1,
        _ => return None,
    })
}

/// `resets 11:59pm (UTC)`, `resets at 3pm (Europe/Berlin)`, `resets Oct 9 at 05:00`, `try again at 3:28 PM`.
fn clock(text: &str) -> Option<ResetHint> {
    let lower = text.to_ascii_lowercase();
    let from = lower.find("reset").or_else(|| lower.find("try again at"))?;
    // Lowercasing ASCII keeps every byte where it was.
    let (said, original) = (&lower[from..], &text[from..]);
    let (words, zone) = match (said.find('('), said.find(')')) {
        (Some(open), Some(close)) if open < close => {
            (&said[..open], Some(original[open + 1..close].trim().to_owned()))
        }
        _ => (said, None),
    };
    let words: Vec<&str> = words
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty())
        .take(12)
        .collect();
    let date = words.windows(2).find_map(|pair| Some((month(pair[0])?, day(pair[1])?)));
    let (hour, minute) = words
        .iter()
        .enumerate()
        .find_map(|(i, word)| time_of_day(word, words.get(i + 1).copied().unwrap_or_default()))?;
    Some(ResetHint::Clock { date, hour, minute, zone: zone.filter(|zone| !zone.is_empty()) })
}

fn month(word: &str) -> Option<i8> {
    let index = MONTHS.iter().position(|month| word.starts_with(month))?;
    i8::try_from(index + 1).ok()
}

fn day(word: &str) -> Option<i8> {
    let digits = word.trim_end_matches(|c: char| !c.is_ascii_digit());
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}

/// `11:59pm`, `3pm`, `3 pm`, `15:04`; a bare number is no time.
fn time_of_day(word: &str, following: &str) -> Option<(i8, i8)> {
    let word = word.trim_end_matches('.');
    let (digits, half) = match word.strip_suffix("am").or_else(|| word.strip_suffix("pm")) {
        Some(digits) => (digits, &word[digits.len()..]),
        None => (word, following.trim_end_matches('.')),
    };
    let is_half = matches!(half, "am" | "pm");
    let (hour, minute) = match digits.split_once(':') {
        Some((hour, minute)) => (hour.parse::<i8>().ok()?, minute.parse::<i8>().ok()?),
        None if is_half => (digits.parse::<i8>().ok()?, 0),
        None => return None,
    };
    let hour = match half {
        "am" | "pm" if !(1..=12).contains(&hour) => return None,
        "am" => hour % 12,
        "pm" => hour % 12 + 12,
        _ => hour,
    };
    ((0..24).contains(&hour) && (0..60).contains(&minute)).then_some((hour, minute))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Option<Timestamp> {
        Timestamp::parse(text)
    }

    fn clock_hint(date: Option<(i8, i8)>, hour: i8, minute: i8, zone: Option<&str>) -> ResetHint {
        ResetHint::Clock { date, hour, minute, zone: zone.map(str::to_owned) }
    }

    fn after(seconds: u64) -> ResetHint {
        ResetHint::After { length: Millis::secs(seconds) }
    }

    #[test]
    fn the_known_ways_to_say_it_are_read() {
        for (text, hint) in [
            ("You've hit your limit · resets 11:59pm (UTC)", clock_hint(None, 23, 59, Some("UTC"))),
            (
                "limit reached, resets at 3pm (Europe/Berlin).",
                clock_hint(None, 15, 0, Some("Europe/Berlin")),
            ),
            ("resets 12am (UTC)", clock_hint(None, 0, 0, Some("UTC"))),
            ("resets 12:30 PM", clock_hint(None, 12, 30, None)),
            (
                "Your limit will reset at 15:04 (America/New_York)",
                clock_hint(None, 15, 4, Some("America/New_York")),
            ),
            (
                "weekly limit · resets Oct 9 at 5am (UTC)",
                clock_hint(Some((10, 9)), 5, 0, Some("UTC")),
            ),
            ("resets Dec 31st, 11pm (UTC)", clock_hint(Some((12, 31)), 23, 0, Some("UTC"))),
            (
                "Claude AI usage limit reached|1794699386",
                ResetHint::At { at: Timestamp(1_794_699_386_000) },
            ),
            ("or try again at 3:28 PM.", clock_hint(None, 15, 28, None)),
            (
                "You've hit your usage limit (a), try again at Aug 8th, 2026 12:30 PM.",
                clock_hint(Some((8, 8)), 12, 30, None),
            ),
            ("Your quota will reset after 42h1m20s.", after(42 * 3600 + 80)),
            ("try again in 3 days 6 hours 57 minutes.", after(3 * 86400 + 6 * 3600 + 57 * 60)),
            ("limit resets in 5 min", after(300)),
            ("limit | 1794699386123", ResetHint::At { at: Timestamp(1_794_699_386_123) }),
        ] {
            assert_eq!(ResetHint::read(text), Some(hint), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_gives_no_hint() {
        for text in [
            "",
            "limit reached",
            "resets soon",
            "resets 25:00",
            "resets 13pm",
            "a|b|12",
            "reset 5 things",
            "reset in 5 steps",
            "try again in a moment",
            "try again in 99999999999999999999h",
            "resets é(",
            "resets )(",
            "limit|0000000000",
            "limit|9999999999999",
        ] {
            assert_eq!(ResetHint::read(text), None, "{text}");
        }
    }

    #[test]
    fn utc_resolves_to_the_next_such_moment() {
        let now = Timestamp::parse("2026-11-14T22:36:30Z").unwrap_or_default();
        for (hint, moment) in [
            (clock_hint(None, 23, 36, Some("UTC")), at("2026-11-14T23:36:00Z")),
            (clock_hint(None, 22, 36, Some("utc")), at("2026-11-15T22:36:00Z")),
            (clock_hint(Some((11, 20)), 5, 0, Some("UTC")), at("2026-11-20T05:00:00Z")),
            (clock_hint(Some((1, 2)), 5, 0, Some("UTC")), at("2027-01-02T05:00:00Z")),
            (after(90), at("2026-11-14T22:38:00Z")),
            (clock_hint(Some((2, 30)), 5, 0, Some("UTC")), None),
            (clock_hint(None, 15, 0, Some("Europe/Berlin")), None),
            (clock_hint(None, 15, 0, None), None),
        ] {
            assert_eq!(hint.resolve(now), moment, "{hint:?}");
        }
    }
}
