//! Watches the lease while the server does not answer: as long as the remote says that it is this stint's, nobody else
//! works on the branch; if the remote is silent too, the agent must end before another may begin.

use std::time::{Duration, Instant};

use crate::{
    truth::{Mine, Repository},
    wire::Times,
};

/// Whether a stint may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    GoOn,
    NotMine,
    CutOff,
}

/// When somebody last said that the lease is this stint's.
#[derive(Debug)]
pub(crate) struct Watch {
    look: Duration,
    silence: Duration,
    heard: Instant,
    looked: Option<Instant>,
}

impl Watch {
    pub(crate) fn new(times: &Times) -> Self {
        Self {
            look: Duration::from_millis(times.look_ms),
            silence: Duration::from_millis(times.silence_ms),
            heard: Instant::now(),
            looked: None,
        }
    }

    /// Looks if it is time to.
    pub(crate) fn ask(
        &mut self,
        is_in_touch: bool,
        published: Option<Instant>,
        (repository, mine): (&Repository, &Mine),
    ) -> Word {
        if is_in_touch {
            self.heard = Instant::now();
            self.looked = None;
            return Word::GoOn;
        }
        self.heard = self.heard.max(published.unwrap_or(self.heard));
        let left = self.silence.saturating_sub(self.heard.elapsed());
        if left.is_zero() {
            return Word::CutOff;
        }
        if self.looked.is_some_and(|looked| looked.elapsed() < self.look) {
            return Word::GoOn;
        }
        self.looked = Some(Instant::now());
        // A remote that answers nothing must not keep the stint past its time.
        match repository.within(self.look.min(left)).remote_truth() {
            Ok(Some(commit)) if mine.has(&commit) => self.heard = Instant::now(),
            Ok(_) => return Word::NotMine,
            Err(_) => {}
        }
        Word::GoOn
    }
}
