//! One process leaves where its share is done and another goes on. What limits look at must not depend on it.

use ralph_core::{
    input::{By, Resumption, What},
    run::{Phase, RunState, Share, Stint},
    time::Millis,
};

use super::driver::{Crash, Driver};

/// As little as a process can do.
const SHARE: Share =
    Share { iterations: 1, time: Millis(u64::MAX >> 2), longest_wait: Millis(0), money: None };

/// Who works now.
#[derive(Debug, Default)]
pub(super) struct Relay {
    stint: Option<Stint>,
    pub(super) handovers: u32,
    /// Once is enough for a pause: whoever goes on pauses too.
    left_in_pause: bool,
}

impl Driver<'_> {
    pub(super) fn leaves(&mut self) -> bool {
        let (state, now) = (&self.state, self.world.now);
        let is_paused = state.steering.pause || matches!(state.phase, Phase::Paused { .. });
        self.relay.left_in_pause &= is_paused;
        let stint = self.relay.stint.get_or_insert_with(|| Stint::new(SHARE, state, now));
        let is_again = matches!(state.phase, Phase::Paused { .. }) && self.relay.left_in_pause;
        stint.leaves(state, now) && !is_again
    }

    /// The next process begins with what the journal says, on another machine; nobody works during a wait.
    pub(super) fn hand_over(&mut self) -> Result<(), Crash> {
        self.relay.handovers += 1;
        self.tell(|| "handover".into());
        if let Phase::Waiting { until } = self.state.phase {
            self.world.now = self.world.now.max(until);
        }
        self.relay.left_in_pause = matches!(self.state.phase, Phase::Paused { .. });
        self.taken_over()
    }

    /// Whether another process goes on with a run that has ended; one that a signal ended, that is.
    pub(super) fn goes_on_elsewhere(&mut self) -> Result<bool, Crash> {
        if !self.options.handovers || self.resumes >= 3 || !self.rng.chance(500) {
            return Ok(false);
        }
        self.resumes += 1;
        let before = self.state.seq;
        self.taken_over()?;
        Ok(self.state.seq != before)
    }

    pub(super) fn taken_over(&mut self) -> Result<(), Crash> {
        self.reread("after a handover");
        self.signals = 0;
        self.is_recovering = true;
        self.relay.stint = Some(Stint::new(SHARE, &self.state, self.world.now));
        self.feed(What::Resumed(Resumption { by: By::Machine, ..Resumption::default() }))
    }
}

/// What limits look at, and who may be called.
pub(super) fn counts(state: &RunState) -> String {
    let resting: Vec<&String> = state.resting.keys().collect();
    format!(
        "{:?} {:?} {:?} {resting:?} {:?} {}",
        state.counters,
        state.usage,
        state.blame,
        state.flaky,
        state.taken.len()
    )
}
