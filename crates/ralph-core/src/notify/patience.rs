//! What becomes of a channel that does not deliver: tried again, warned about once, rested.

use crate::time::{Millis, Timestamp};

/// How long to wait before a message is tried again, time after time.
const RETRIES: [Millis; 3] = [Millis::secs(1), Millis::secs(5), Millis::secs(25)];
/// So many messages in a row that could not be delivered rest a channel.
const FAILURES: u32 = 5;
/// For so long.
const REST: Millis = Millis::secs(30 * 60);

/// What is known about a channel's deliveries.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Patience {
    in_a_row: u32,
    rests_until: Option<Timestamp>,
    has_warned: bool,
}

impl Patience {
    /// How long to wait before the next try of a message that failed so often; `None` if it is given up.
    pub fn again_after(failed: usize) -> Option<Millis> {
        RETRIES.get(failed.checked_sub(1)?).copied()
    }

    /// How long the channel still rests.
    pub fn rests(&self, now: Timestamp) -> Millis {
        self.rests_until.map_or(Millis(0), |until| until.since(now))
    }

    /// A message was delivered.
    pub fn delivered(&mut self) {
        (self.in_a_row, self.rests_until) = (0, None);
    }

    /// A message was given up; true if people should hear of it.
    pub fn given_up(&mut self, now: Timestamp) -> bool {
        self.in_a_row += 1;
        if self.in_a_row >= FAILURES {
            (self.in_a_row, self.rests_until) = (0, Some(now.plus(REST)));
        }
        !std::mem::replace(&mut self.has_warned, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_in_a_row_rest_it_for_half_an_hour_and_people_hear_once() {
        let (mut patience, now) = (Patience::default(), Timestamp(0));
        let warned: Vec<bool> = (0..4).map(|_| patience.given_up(now)).collect();
        assert_eq!(warned, [true, false, false, false]);
        patience.delivered();
        for _ in 0..4 {
            assert!(!patience.given_up(now));
        }
        assert_eq!(patience.rests(now), Millis(0));
        assert!(!patience.given_up(now));
        assert_eq!(patience.rests(now), REST);
        assert_eq!(patience.rests(now.plus(REST)), Millis(0));
        let waits: Vec<_> = (0..5).map(Patience::again_after).collect();
        assert_eq!(waits, [None, Some(RETRIES[0]), Some(RETRIES[1]), Some(RETRIES[2]), None]);
    }
}
