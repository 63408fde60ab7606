//! Pauses that people asked for: whether one is wanted, since when one goes on, how long they were.

use ralph_core::{
    event::Event,
    time::{Millis, Timestamp},
};

/// A run's pauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Pause {
    /// It begins once the iteration is over.
    pub(crate) is_wanted: bool,
    pub(crate) since: Option<Timestamp>,
    /// Those that are over.
    past: Millis,
}

impl Pause {
    pub(super) fn fold(&mut self, event: &Event, at: Timestamp) {
        match event {
            Event::PauseRequested { .. } => self.is_wanted = true,
            Event::Paused => self.since = Some(at),
            Event::Unpaused => self.ended(at),
            _ => {}
        }
    }

    /// Nothing is paused, nor wanted to be, from here on.
    pub(super) fn ended(&mut self, at: Timestamp) {
        self.past = self.total(at);
        self.since = None;
        self.is_wanted = false;
    }

    /// How long they were so far, with the one that goes on.
    pub(super) fn total(&self, now: Timestamp) -> Millis {
        self.past.plus(self.so_far(now))
    }

    fn so_far(&self, now: Timestamp) -> Millis {
        self.since.map(|since| now.since(since)).unwrap_or_default()
    }
}
