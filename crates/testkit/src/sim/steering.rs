//! People who say things to agents and pause the run, at any time. Each word is in the inbox before the core hears it.

use ralph_core::{
    ids::TaskId,
    input::{Request, What, Wish},
    run::Phase,
    time::Millis,
};

use super::{
    driver::{Crash, Driver},
    rng::{Rng, mix},
};

/// After so many words and pauses people are content.
const MOST: u32 = 30;

/// How often people speak in a run of this seed, in a thousand.
pub(super) fn odds(seed: u64) -> u64 {
    Rng::new(mix(&[seed, 7])).of(&[0, 0, 0, 0, 40, 150])
}

/// A text that no other word contains.
pub(super) fn text(number: u32) -> String {
    format!("<said {number:03}>")
}

impl Driver<'_> {
    pub(super) fn speaks(&mut self) -> bool {
        let odds = self.scenario.odds.steer;
        odds > 0 && self.said < MOST && self.words.chance(odds)
    }

    /// A word, a pause, or the end of one: left in the inbox, and most often heard at once.
    pub(super) fn speak(&mut self) -> Result<(), Crash> {
        self.said += 1;
        let now = self.words.chance(500);
        let wish = match self.words.below(8) {
            0 => Wish::Pause { now },
            1 => Wish::Resume,
            _ => Wish::Steer { task: self.somebody(), text: text(self.said), now },
        };
        let request = Request { id: format!("said-{}", self.said), wish };
        self.tell(|| format!("said {request:?}"));
        self.oracle.said(&request);
        self.world.inbox.push(request.clone());
        if self.words.chance(600) { self.feed(What::Asked(request)) } else { Ok(()) }
    }

    /// What was for the process before is gone.
    pub(super) fn forget_pauses(&mut self) {
        let is_for_it = |wish: &Wish| matches!(wish, Wish::Pause { .. } | Wish::Resume);
        self.world.inbox.retain(|request| !is_for_it(&request.wish));
    }

    fn somebody(&mut self) -> Option<TaskId> {
        let count = self.state.start.plan.tasks.len() as u64;
        let at = usize::try_from(self.words.below(count * 2)).unwrap_or(0);
        self.state.start.plan.tasks.get(at).map(|task| task.id.clone())
    }

    /// Nothing happens until somebody comes; the inbox is looked at.
    pub(super) fn paused(&mut self) -> Result<(), Crash> {
        self.world.now = self.world.now.plus(Millis(self.words.below(600_000)));
        for request in self.world.inbox.clone() {
            self.feed(What::Asked(request))?;
        }
        self.feed(What::Woke)?;
        if matches!(self.state.phase, Phase::Paused { .. }) && self.words.chance(400) {
            self.said += 1;
            let request = Request { id: format!("said-{}", self.said), wish: Wish::Resume };
            self.world.inbox.push(request.clone());
            self.feed(What::Asked(request))?;
        }
        Ok(())
    }
}
