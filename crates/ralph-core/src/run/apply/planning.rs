//! What became of a planner's drafts.

use crate::{event::Event, run::RunState};

impl RunState {
    /// A draft that can be used ends the run; one that cannot is held against the next.
    pub(super) fn drafted(&mut self, event: &Event) {
        match event {
            Event::PlanDrafted(draft) => {
                self.call_judged();
                self.planning.mistakes.clear();
                self.planning.draft = Some(draft.clone());
            }
            Event::DraftUnusable { nth, why, is_shapeless } => {
                self.call_judged();
                self.planning.unusable = *nth;
                self.planning.is_shapeless = *is_shapeless;
                self.planning.mistakes.clone_from(why);
            }
            _ => {}
        }
    }
}
