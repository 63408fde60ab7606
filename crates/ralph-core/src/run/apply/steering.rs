//! What people say to the agents of a run, and its pauses, as decided. Folds; decides nothing.

use crate::{
    event::StopHow,
    run::{Phase, RunState, steering::hears},
    vocabulary::Steer,
};

impl RunState {
    pub(super) fn steered(&mut self, said: &Steer, ends_call: bool) {
        self.steering.add(said, self.last_at);
        self.steering.ends_call |= ends_call;
    }

    pub(super) fn stop_requested(&mut self, how: StopHow) {
        self.stop = self.stop.max(Some(how));
        if !matches!(how, StopHow::Signal { .. }) {
            self.steering.stop = self.steering.stop.max(Some(how));
        }
    }

    pub(super) fn pause_requested(&mut self, ends_call: bool) {
        self.steering.pause = true;
        self.steering.ends_call |= ends_call;
    }

    pub(super) fn unpaused(&mut self) {
        self.steering.pause = false;
        if let Phase::Paused { since } = self.phase {
            self.steering.paused_since(since, self.last_at);
            self.phase = Phase::Boundary;
        }
    }

    /// A call begins: its prompt has what holds for it now.
    pub(super) fn hear_words(&mut self) {
        let Phase::Iterating(iteration) = &self.phase else {
            return;
        };
        if !hears(iteration.kind) {
            return;
        }
        let (number, task) = (iteration.number, self.task_id(iteration.task));
        self.steering.hear(&task, number);
    }
}
