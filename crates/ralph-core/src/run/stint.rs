//! One process's share of a run: where it may leave so that another process goes on. Decides nothing about the work, and
//! nothing of it is ever written down: whoever goes on takes the run up as it is.

use super::{Phase, RunState, limits};
use crate::{
    time::{Millis, Timestamp},
    usage::MicroUsd,
};

/// How much one process does of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    pub iterations: u32,
    pub time: Millis,
    /// A longer wait is left to whoever goes on.
    pub longest_wait: Millis,
    /// What its calls may cost; none where nobody asked.
    pub money: Option<MicroUsd>,
}

/// A share of one run, counted from where the process began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stint {
    iterations: u32,
    ends_at: Timestamp,
    longest_wait: Millis,
    money: Option<MicroUsd>,
}

impl Stint {
    /// The share of a process that begins now.
    pub fn new(share: Share, state: &RunState, now: Timestamp) -> Self {
        Self {
            iterations: state.counters.iterations.saturating_add(share.iterations),
            ends_at: now.plus(share.time),
            longest_wait: share.longest_wait,
            money: share.money.map(|more| MicroUsd(state.usage.cost.0.saturating_add(more.0))),
        }
    }

    /// Whether the process leaves now. Only where nothing is in flight, and never where the run itself is about to end
    /// or to do what a person asked for.
    pub fn leaves(&self, state: &RunState, now: Timestamp) -> bool {
        if state.stop.is_some() {
            return false;
        }
        match &state.phase {
            Phase::Boundary => self.is_used_up(state, now) && goes_on(state, now),
            Phase::Waiting { until } => until.since(now) > self.longest_wait,
            Phase::Paused { .. } => true,
            _ => false,
        }
    }

    fn is_used_up(&self, state: &RunState, now: Timestamp) -> bool {
        state.counters.iterations >= self.iterations
            || now >= self.ends_at
            || self.money.is_some_and(|most| state.usage.cost >= most)
    }
}

/// Whether a new iteration would follow: a run that is about to end, to pause or to repeat an iteration does so itself.
fn goes_on(state: &RunState, now: Timestamp) -> bool {
    let begins = state.again.is_none() && state.pick().is_some();
    begins && !state.steering.pause && limits::reached(state, now).is_none()
}
