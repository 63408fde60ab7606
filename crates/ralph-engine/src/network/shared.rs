//! What every connection of one gateway needs.

use std::{
    io::PipeReader,
    sync::{Condvar, Mutex, MutexGuard, PoisonError, atomic::AtomicU64},
    time::Duration,
};

use ralph_core::network::NetworkRules;

use super::{dial::World, ledger::Ledger};

/// Longest time to take a short answer.
pub(super) const ANSWER_TIME: Duration = Duration::from_secs(10);

/// What every connection needs.
#[derive(Debug)]
pub(super) struct Shared {
    pub rules: NetworkRules,
    pub world: World,
    pub ledger: Ledger,
    /// Its other end closes when all is to end.
    pub stop: PipeReader,
    /// Requests that were sent on with a key.
    pub relayed: AtomicU64,
    pub open: Mutex<usize>,
    pub one_ended: Condvar,
}

impl Shared {
    pub(super) fn count(&self) -> MutexGuard<'_, usize> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
