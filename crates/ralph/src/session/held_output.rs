//! The console's way to stderr, which can be held: whoever writes then waits, so that somebody else may draw meanwhile.

use std::{
    io::{self, Write},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// How long a write under way is waited for.
const PATIENCE: Duration = Duration::from_secs(1);

/// Holds what is written to a [`HeldOutput`]. Never held while a write is under way, which may block.
#[derive(Clone, Default)]
pub(super) struct Hold(Arc<(Mutex<State>, Condvar)>);

#[derive(Default)]
struct State {
    has_begun: bool,
    is_held: bool,
    is_writing: bool,
}

impl Hold {
    /// Whether anything was written so far.
    pub(super) fn has_begun(&self) -> bool {
        self.state().has_begun
    }

    /// Begins to hold; not if somebody still writes, to a terminal that takes nothing.
    pub(super) fn begin(&self) -> bool {
        let writes = |state: &mut State| state.is_writing;
        let waited = self.0.1.wait_timeout_while(self.state(), PATIENCE, writes);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        state.is_held = !state.is_writing;
        state.is_held
    }

    /// Lets go.
    pub(super) fn end(&self) {
        self.state().is_held = false;
        self.0.1.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stderr, unless it is held.
pub(super) struct HeldOutput(pub(super) Hold);

impl Write for HeldOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Hold(shared) = &self.0;
        let waited = shared.1.wait_while(self.0.state(), |state| state.is_held);
        waited.unwrap_or_else(PoisonError::into_inner).is_writing = true;
        let written = io::stderr().write_all(bytes);
        let mut state = self.0.state();
        (state.is_writing, state.has_begun) = (false, true);
        drop(state);
        shared.1.notify_all();
        written.map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
