//! When a channel says something: at once, or joined with what came too soon after its last message.
//!
//! Nothing is lost: what may not be sent now is joined.

use std::collections::BTreeSet;

use super::Notice;
use crate::{
    settings::{NotifyChannel, NotifySettings, Occasion},
    time::{Millis, Timestamp},
};

/// Most notices that wait for one message; of more, only the number is kept.
const MAX_JOINED_NOTICES: usize = 100;

/// A message that is to be sent now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// What it is, or the gravest of what it joins.
    pub occasion: Occasion,
    /// What it says, oldest first; empty for a test.
    pub notices: Vec<Notice>,
    /// How many more there were.
    pub left_out: usize,
}

/// What one channel says when.
#[derive(Debug)]
pub struct Schedule {
    on: BTreeSet<Occasion>,
    min_gap: Millis,
    waiting: Vec<Notice>,
    left_out: usize,
    last_sent: Option<Timestamp>,
}

impl Schedule {
    /// What a channel says, from now on.
    pub fn new(settings: &NotifySettings, channel: &NotifyChannel) -> Self {
        let on = if channel.on.is_empty() { &settings.on } else { &channel.on };
        Self {
            on: on.iter().copied().collect(),
            min_gap: settings.min_gap.0,
            waiting: Vec::new(),
            left_out: 0,
            last_sent: None,
        }
    }

    /// Takes a notice; [`Schedule::due`] says when it is sent.
    pub fn offer(&mut self, notice: Notice) {
        if !self.on.contains(&notice.occasion) {
            return;
        }
        if self.waiting.len() < MAX_JOINED_NOTICES {
            self.waiting.push(notice);
        } else {
            self.left_out += 1;
        }
    }

    /// What is to be sent now.
    pub fn due(&mut self, now: Timestamp) -> Option<Due> {
        if self.last_sent.is_some_and(|sent| now.since(sent) < self.min_gap) {
            return None;
        }
        let due = self.finish()?;
        self.last_sent = Some(now);
        Some(due)
    }

    /// Everything that still waits: the run is over, and nothing would send it later.
    pub fn finish(&mut self) -> Option<Due> {
        // The end of a run comes last, and says more than what came before it.
        let rank = |notice: &&Notice| (notice.occasion.is_urgent(), notice.at);
        let occasion = self.waiting.iter().max_by_key(rank)?.occasion;
        let notices = std::mem::take(&mut self.waiting);
        Some(Due { occasion, notices, left_out: std::mem::take(&mut self.left_out) })
    }
}
