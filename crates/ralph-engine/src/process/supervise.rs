//! Runs one process from start to end: hears it, obeys, and returns only when its tree is gone.
//! Decides nothing itself: the listener and people's requests do.

use super::{
    finished::{Finished, ProcessError},
    launch::{Launch, launch},
    listen::{Attention, Listener},
    pump::Pump,
    spec::ProcessSpec,
    supervisor::Supervisor,
};

impl Supervisor {
    /// Runs `spec` until its whole tree is gone and its output is drained.
    ///
    /// One thread, constant memory, whatever the process writes. When this returns an error, the
    /// shim has been told to end the tree.
    pub fn supervise(
        &self,
        spec: &ProcessSpec,
        listener: &mut dyn Listener,
        attention: &mut dyn Attention,
    ) -> Result<Finished, ProcessError> {
        match launch(self, spec)? {
            Launch::Refused(detail) => Ok(Finished::not_started(detail)),
            Launch::Running(running) => {
                Pump::new(running, &spec.stdin, self.graces).run(listener, attention)
            }
        }
    }
}
