//! Durations, clocks and dates.

const UNITS: [&str; 20] = [
    "ns",
    "us",
    "µs",
    "μs",
    "ms",
    "s",
    "m",
    "h",
    "sec",
    "secs",
    "second",
    "seconds",
    "min",
    "mins",
    "minute",
    "minutes",
    "hour",
    "hours",
    "millis",
    "milliseconds",
];
const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const ZONES: [&str; 6] = ["UTC", "GMT", "Z", "CET", "AM", "PM"];

/// `0.17s`, `12ms`, `1m30s`
pub(super) fn is_duration(text: &str) -> bool {
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let unit: String = number.chars().take_while(|c| c.is_alphabetic()).collect();
    let rest = number.get(unit.len()..).unwrap_or_default();
    let has_number = text.starts_with(|c: char| c.is_ascii_digit()) && number.len() < text.len();
    has_number && is_unit(&unit) && (rest.is_empty() || is_duration(rest))
}

pub(super) fn is_unit(text: &str) -> bool {
    UNITS.contains(&text)
}

/// `2026-11-14T00:40:26.123Z`; one that is midnight sharp is somebody's value, not a moment of this run.
pub(super) fn is_moment(text: &str) -> bool {
    let Some((date, clock)) = text.split_once('T') else {
        return false;
    };
    shape(date) == "0000-00-00" && is_clock(clock) && !clock.starts_with("00:00:00")
}

/// `12:01:59`, `0:00:12.5`, `00:40:26Z`, `00:40:26+01:00`; without seconds it could be any ratio.
pub(super) fn is_clock(text: &str) -> bool {
    let text = text.trim_end_matches('Z');
    let clock = text.split(['.', '+', ',']).next().unwrap_or_default();
    let clock = clock.split_once('-').map_or(clock, |(clock, _)| clock);
    ["0:00:00", "00:00:00"].contains(&shape(clock).as_str())
}

/// How many words a date with its clock takes: `Sun Nov 15 03:44:16 2026`, `2026-11-15 03:44:16 +0000`.
pub(super) fn calendar_words(words: &[&str]) -> usize {
    let (mut has_date, mut has_clock, mut taken) = (false, false, 0);
    for word in words {
        let text = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '+');
        let is_date = MONTHS.contains(&text) || shape(text) == "0000-00-00";
        let is_clock = is_clock(text);
        let belongs = is_date
            || is_clock
            || DAYS.contains(&text)
            || (has_date && ["0", "00", "0000"].contains(&shape(text).as_str()))
            || (has_clock && (ZONES.contains(&text) || shape(text) == "+0000"));
        if !belongs || (is_clock && has_clock) {
            break;
        }
        has_date |= is_date;
        has_clock |= is_clock;
        taken += 1;
        let is_closed = word.ends_with(|c: char| !c.is_alphanumeric() && c != ',');
        if is_closed {
            break;
        }
    }
    if has_date && has_clock { taken } else { 0 }
}

fn shape(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect()
}
