//! Folds decisions into the state. Decides nothing: what an event says is what becomes true.

mod iteration;
mod memory;
mod plan;
mod steering;
mod task;

use super::{Phase, Rest, RunState};
use crate::event::{Decision, Event};

impl RunState {
    /// Folds one decision.
    pub fn apply(&mut self, decision: &Decision) {
        self.seq = decision.seq + 1;
        self.count_idle(decision);
        self.last_at = decision.at;
        if decision.events.iter().any(ends_effect) {
            self.effects += 1;
        }
        for event in &decision.events {
            self.apply_event(event);
        }
    }

    fn apply_event(&mut self, event: &Event) {
        self.count_traffic(event);
        match event {
            Event::RunStarted(_) | Event::ScmTasksRan { .. } => {}
            Event::Warned { text } => self.warnings.add(text, self.counters.iterations),
            Event::RunResumed { by, max_iterations, is_limit_given, pinned, .. } => {
                self.start.is_limit_given |= *is_limit_given;
                self.resume(*by, *max_iterations, pinned.as_deref());
            }
            Event::IsolationChanged { isolation } => {
                let before = std::mem::replace(&mut self.start.isolation, isolation.clone());
                self.earlier_isolations.push(before);
            }
            Event::WorkspaceOpened(workspace) => self.opened(workspace),
            Event::BaselineRecorded { results, .. } => {
                self.baseline = Some(results.gates.clone());
                self.phase = Phase::Boundary;
            }
            Event::PromptRead { text } => self.prompt.clone_from(text),
            Event::IterationStarted(start) => self.started(start),
            Event::AgentEnded(report) if matches!(self.phase, Phase::Compacting(_)) => {
                self.compactor_ended(report);
            }
            Event::AgentEnded(report) => self.agent_ended(report),
            Event::CompactionBegan(start) => self.compaction_began(start),
            Event::MemoryCompacted(compaction) => self.memory_compacted(compaction),
            Event::GatesRan { results, .. } => {
                self.count_gates(results);
                self.apply_to_iteration(event);
            }
            Event::CheckpointTaken(_)
            | Event::TreeCaptured(_)
            | Event::VerdictReached(_)
            | Event::AmendmentsProposed { .. }
            | Event::Proceeded { .. } => self.apply_to_iteration(event),
            Event::AgentRested { agent, until, why, is_waited_for } => {
                let rest = Rest { until: *until, why: why.clone(), is_waited_for: *is_waited_for };
                self.resting.insert(agent.clone(), rest);
            }
            Event::WaitEnded => self.phase = Phase::Boundary,
            Event::IterationClosed => {
                self.iteration_closed_at = Some(self.last_at);
                self.remember_record();
                self.steering.ends_call = false;
                if matches!(self.phase, Phase::Iterating(_)) {
                    self.phase = Phase::Boundary;
                }
            }
            Event::CallSetAside(aside) => self.set_aside(aside),
            Event::WaitBegan { until, .. } => self.phase = Phase::Waiting { until: *until },
            Event::RequestTaken { request } => {
                self.taken.insert(request.id.clone());
            }
            Event::StopRequested { how } => self.stop_requested(*how),
            Event::Steered { word, ends_call } => self.steered(word, *ends_call),
            Event::PauseRequested { ends_call } => self.pause_requested(*ends_call),
            Event::Paused => self.phase = Phase::Paused { since: self.last_at },
            Event::Unpaused => self.unpaused(),
            Event::RunEnding { outcome } => {
                self.suspend();
                self.phase = Phase::Closing { outcome: outcome.clone() };
            }
            Event::RunFinished { outcome, notes } => {
                self.suspend();
                self.notes.clone_from(notes);
                self.phase = Phase::Finished { outcome: outcome.clone() };
            }
            Event::AmendmentsRuled { ruled, .. } => self.ruled(ruled),
            Event::ProposalDecided { number, accepted, .. } => self.decided(*number, *accepted),
            Event::PlanChanged { wish } => self.plan_changed(wish),
            Event::PlanDrafted(draft) => {
                self.call_judged();
                self.planning.drafted(draft);
            }
            Event::DraftUnusable { nth, why, is_shapeless } => {
                self.call_judged();
                self.planning.rejected(*nth, why, *is_shapeless);
            }
            _ => self.apply_to_task(event),
        }
    }

    fn count_traffic(&mut self, event: &Event) {
        match event {
            Event::AgentEnded(report) => self.traffic.add(&report.traffic),
            Event::GatesRan { results, .. } | Event::BaselineRecorded { results, .. } => {
                self.traffic.add(&results.traffic);
            }
            _ => {}
        }
    }
}

/// What arrives from outside, and what is only said, leaves the effect in flight as it is.
fn ends_effect(event: &Event) -> bool {
    let beside = matches!(
        event,
        Event::StopRequested { .. }
            | Event::RequestTaken { .. }
            | Event::Warned { .. }
            | Event::Steered { .. }
            | Event::PauseRequested { .. }
            | Event::Unpaused
    );
    !beside
}
