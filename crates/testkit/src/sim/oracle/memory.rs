//! Memory on the oracle's own books: what was told must still be known, within the budget, and nothing else moves.

use ralph_core::{
    effect::AgentCall,
    event::{Decision, Event},
    input::AgentReport,
    memory::{compaction::Compaction, stored_tokens},
};

use super::{Invariant, Oracle};
use crate::sim::world::World;

impl Oracle<'_> {
    /// An agent that compacts works in a copy of the accepted work, between iterations, and for no task. What another
    /// agent may have done to the branch since is not in it.
    pub(super) fn check_compactor(&mut self, call: &AgentCall, world: &World<'_>) {
        let copied = call.copy_of.as_ref().and_then(|commit| world.git.find(commit));
        let fits = copied.is_some() && copied == self.head && call.task.as_str().is_empty();
        self.must(fits, Invariant::MemoryIsApart, || format!("{:?}", call.copy_of));
        let is_between = self.underway.is_none();
        self.must(is_between, Invariant::MemoryIsApart, || "inside an iteration".into());
    }

    /// What iterations told as constraints is remembered from here on.
    pub(super) fn told(&mut self, report: &AgentReport) {
        let found = report.handoff.as_ref().and_then(|one| one.rest.get("constraints_discovered"));
        let found = found.and_then(|list| list.as_array()).into_iter().flatten();
        self.found.extend(found.filter_map(|one| one.as_str()).map(str::to_owned));
    }

    /// The call is over: what it told must be known after the next compaction, whether or not it was judged.
    pub(super) fn iteration_told(&mut self) {
        let found = std::mem::take(&mut self.found);
        self.constraints.extend(found);
    }

    pub(super) fn compacted(&mut self, compaction: &Compaction, decision: &Decision) {
        let budget = self.scenario.start.settings.memory.context_budget_tokens;
        let stored = stored_tokens(&compaction.context);
        self.must(stored <= budget, Invariant::MemoryIsBounded, || format!("{stored} of {budget}"));
        let known = &compaction.context.constraints;
        let lost = self.constraints.iter().find(|text| !known.iter().any(|one| one.text == **text));
        let lost = lost.cloned().filter(|_| compaction.context.left_out == 0);
        self.must(lost.is_none(), Invariant::MemoryKeepsConstraints, || format!("{lost:?}"));
        let is_apart = decision.events.iter().all(|event| {
            matches!(
                event,
                Event::AgentEnded(_)
                    | Event::AgentRested { .. }
                    | Event::MemoryCompacted(_)
                    | Event::PromptRead { .. }
                    | Event::TaskMoved { .. }
                    | Event::RequestTaken { .. }
                    | Event::StopRequested { .. }
                    | Event::Steered { .. }
                    | Event::PauseRequested { .. }
                    | Event::Unpaused
                    | Event::Warned { .. }
                    | Event::IterationStarted(_)
                    | Event::Proceeded { .. }
            )
        });
        let moves = decision.events.iter().filter(|event| matches!(event, Event::TaskMoved { .. }));
        let starts =
            decision.events.iter().any(|event| matches!(event, Event::IterationStarted(_)));
        let is_apart = is_apart && (starts || moves.count() == 0);
        self.must(is_apart, Invariant::MemoryIsApart, || format!("{:?}", decision.events));
    }
}
