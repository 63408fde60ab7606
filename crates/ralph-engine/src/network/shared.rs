//! What every connection of one gateway needs.

use std::{
    io::PipeReader,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, atomic::AtomicU64},
    time::Duration,
};

use ralph_core::network::{Host, Naming, NetworkRules, Why};

use super::{dial::World, ledger::Ledger, registries::Registries};

/// Longest time to take a short answer.
pub(super) const ANSWER_TIME: Duration = Duration::from_secs(10);

/// What every connection needs.
#[derive(Debug)]
pub(super) struct Shared {
    pub rules: NetworkRules,
    /// Asked when a host is not known yet.
    pub registries: Option<Arc<Registries>>,
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
    /// The host that a CONNECT request may reach. The first host that no rule names waits for the package managers.
    pub(super) fn decide(&self, target: &str) -> Result<Host, Why> {
        let named = |host: &Host| self.registries.as_ref().is_some_and(|all| all.name(host));
        self.rules.decide(target, named)
    }

    /// Who named a host that may be reached.
    pub(super) fn naming(&self, host: &Host) -> Naming {
        let is_written =
            |host: &Host| self.registries.as_ref().is_some_and(|all| all.are_written(host));
        self.rules.naming(host, is_written)
    }

    pub(super) fn count(&self) -> MutexGuard<'_, usize> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
