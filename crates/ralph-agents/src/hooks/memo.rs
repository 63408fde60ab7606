//! What was said to a session before, so that nothing is said twice and no session is held forever.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Most times that one call is not let go.
const MOST_OBJECTIONS: u32 = 2;

/// What hooks remember between two events of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Memo {
    /// Thresholds of the context that were announced.
    #[serde(rename = "told")]
    pub(super) announced: BTreeSet<u8>,
    objections: u32,
    last: String,
}

impl Memo {
    /// Whether it may be held back for this reason; counts it if so. One that is held already is not given the same
    /// reason again.
    pub(super) fn objects(&mut self, reason: &str, is_held: bool) -> bool {
        let is_said = is_held && self.last == reason;
        if is_said || self.objections >= MOST_OBJECTIONS {
            return false;
        }
        self.objections += 1;
        reason.clone_into(&mut self.last);
        true
    }

    /// The context was emptied: its thresholds count anew. How often the session was held stays.
    pub(super) fn rearm(&mut self) {
        self.announced.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_held_more_than_twice_nor_twice_in_a_row_for_the_same() {
        let mut memo = Memo::default();
        assert!(memo.objects("a", false));
        assert!(!memo.objects("a", true));
        assert!(memo.objects("b", true));
        assert!(!memo.objects("c", false));
        memo.rearm();
        assert!(!memo.objects("d", false));
    }
}
