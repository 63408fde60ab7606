//! From time and money to places in a picture, and where its axis has marks.

use crate::time::{Millis, Timestamp};

/// A stretch of time across so many units.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    begin: Timestamp,
    length: u64,
    left: u64,
    width: u64,
}

impl Scale {
    /// From `begin` to `end`, drawn from `left` over `width`.
    pub(super) fn new(begin: Timestamp, end: Timestamp, left: u64, width: u64) -> Self {
        Self { begin, length: end.since(begin).0.max(1), left, width }
    }

    /// Where a moment is.
    pub(super) fn place(&self, at: Timestamp) -> u64 {
        self.left + share(at.since(self.begin).0.min(self.length), self.length, self.width)
    }

    /// How wide a length of time is.
    pub(super) fn width(&self, length: Millis) -> u64 {
        share(length.0.min(self.length), self.length, self.width)
    }

    /// Round lengths of time since the beginning, and where they are.
    pub(super) fn marks(&self) -> Vec<(u64, String)> {
        const STEPS: [u64; 14] =
            [1, 5, 15, 30, 60, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400];
        let few = |step: &&u64| self.length / (**step * 1000) <= 8;
        let days = self.length / (8 * 86_400_000) + 1;
        let step = STEPS.iter().find(few).copied().unwrap_or(86_400 * days) * 1000;
        let marks = (0..=self.length / step).map(|nth| nth * step);
        marks
            .map(|at| (self.left + share(at, self.length, self.width), since(Millis(at))))
            .collect()
    }
}

/// The part of `room` that `part` is of `whole`.
pub(super) fn share(part: u64, whole: u64, room: u64) -> u64 {
    let scaled = u128::from(part) * u128::from(room) / u128::from(whole.max(1));
    u64::try_from(scaled).unwrap_or(room)
}

/// `0`, `30s`, `1m15s`, `10m`, `1h`, `1h30m`, `2d`.
fn since(at: Millis) -> String {
    let seconds = at.0 / 1000;
    match (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60) {
        (0, 0, 0, 0) => "0".into(),
        (0, 0, 0, s) => format!("{s}s"),
        (0, 0, m, 0) => format!("{m}m"),
        (0, 0, m, s) => format!("{m}m{s:02}s"),
        (0, h, 0, _) => format!("{h}h"),
        (0, h, m, _) => format!("{h}h{m:02}m"),
        (d, 0, _, _) => format!("{d}d"),
        (d, h, _, _) => format!("{d}d{h}h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_has_few_round_marks_however_long_it_is() {
        for length in [1, 900, 59_000, 3_600_000, 30_000_000, 90_000_000, 9_000_000_000] {
            let scale = Scale::new(Timestamp(5), Timestamp(5 + length), 100, 800);
            let marks = scale.marks();
            assert!((1..=9).contains(&marks.len()), "{length}: {marks:?}");
            assert!(marks.iter().all(|(at, _)| (100..=900).contains(at)), "{marks:?}");
        }
        let scale = Scale::new(Timestamp(0), Timestamp(5_400_000), 0, 900);
        let words: Vec<String> = scale.marks().into_iter().map(|(_, words)| words).collect();
        assert_eq!(words, ["0", "15m", "30m", "45m", "1h", "1h15m", "1h30m"]);
        let scale = Scale::new(Timestamp(0), Timestamp(95_000), 0, 900);
        let words: Vec<String> = scale.marks().into_iter().map(|(_, words)| words).collect();
        assert_eq!(words, ["0", "15s", "30s", "45s", "1m", "1m15s", "1m30s"]);
    }
}
