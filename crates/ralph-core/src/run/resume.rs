//! How a run is left too early and resumed: what continues where it was, what runs again.

use super::{Again, Blame, Phase, RunState, state::Counters};
use crate::{
    event::{Decision, Event, Pinned, Source, StopHow},
    input::{By, Workspace},
    outcome::Outcome,
    settings::AgentSettings,
    vocabulary::Stage,
};

impl RunState {
    /// Nobody worked between the last word of one process and the first of the next. A pause is counted as a pause,
    /// and a wait that another process was left to sit out as a wait.
    pub(super) fn count_idle(&mut self, decision: &Decision) {
        let by = |event: &Event| match event {
            Event::RunResumed { by, .. } => Some(*by),
            _ => None,
        };
        let is_idle = match (decision.events.iter().find_map(by), &self.phase) {
            (None, _) | (_, Phase::Paused { .. }) | (Some(By::Machine), Phase::Waiting { .. }) => {
                false
            }
            (Some(_), _) => true,
        };
        if is_idle {
            self.idle = self.idle.plus(decision.at.since(self.last_at));
        }
    }

    /// Whether the iterations that a person gave the run are used up, with nothing under way: only they let it continue.
    pub fn is_used_up(&self) -> bool {
        let is_idle = self.outcome().is_some() && self.again.is_none() && self.suspended.is_none();
        let is_at_limit = self.counters.iterations >= self.start.max_iterations;
        self.start.is_limit_given && is_idle && is_at_limit
    }

    /// A process resumed the run: the workspace is opened first, an agent call starts anew.
    pub(super) fn resume(&mut self, by: By, max_iterations: Option<u32>, pinned: Option<&Pinned>) {
        let agents = self.start.settings.agent.clone();
        if let Some(pinned) = pinned {
            self.start.settings = pinned.settings.clone();
            self.start.gates.clone_from(&pinned.gates);
            self.start.library.clone_from(&pinned.library);
            self.start.flags.clone_from(&pinned.flags);
        }
        if let Some(limit) = max_iterations {
            self.start.max_iterations = limit;
        }
        if let Phase::Opening { then } = &mut self.phase {
            self.phase = std::mem::replace(&mut **then, Phase::Boundary);
        }
        match by {
            By::Person => self.looked_at(),
            By::Machine => self.taken_over(),
        }
        match self.phase {
            Phase::Paused { since } => {
                self.steering.paused_since(since, self.last_at);
                self.phase = Phase::Boundary;
            }
            // Whether it is still due is asked anew.
            Phase::Compacting(_) => self.phase = Phase::Boundary,
            _ => {}
        }
        self.steering.ends_call = false;
        let mut then = Box::new(std::mem::replace(&mut self.phase, Phase::Boundary));
        if let Phase::Iterating(iteration) = &mut *then
            && iteration.stage == Stage::Agent
        {
            iteration.stage = iteration.kind.first_stage();
            iteration.retry += 1;
            // Whoever stands in for another keeps doing so, unless somebody else is meant now.
            let named = |agents: &AgentSettings| {
                let meant = agents.for_kind(iteration.kind);
                (meant.command.to_owned(), meant.model.to_owned())
            };
            if named(&agents) != named(&self.start.settings.agent) {
                iteration.agent.clear();
            }
        }
        self.phase = Phase::Opening { then };
    }

    /// A person wants it to go on: it ends no more, waits for nobody who may be well again, and counts anew what it
    /// tried in vain.
    fn looked_at(&mut self) {
        self.stop = None;
        self.steering.stop = None;
        // Somebody may have fixed what kept an agent away. One with a time of its own is still waited for, unless
        // the run ended because nobody could be called: then a person wants it tried.
        let is_tried = matches!(
            &self.phase,
            Phase::Finished { outcome: Outcome::AgentUnusable { .. } }
                | Phase::Closing { outcome: Outcome::AgentUnusable { .. } }
        );
        self.resting.retain(|_, rest| rest.until.is_some() && !is_tried);
        self.blame = Blame::default();
        self.counters = Counters {
            uncharged_in_a_row: 0,
            back_offs_in_a_row: 0,
            uncharged: 0,
            failed_in_a_row: 0,
            ..self.counters.clone()
        };
        if matches!(self.phase, Phase::Closing { .. } | Phase::Finished { .. }) {
            self.unsuspend();
        }
        self.steering.pause = false;
    }

    /// Another process goes on. Only a signal to the last one is over with it; a pause goes on.
    fn taken_over(&mut self) {
        self.steering.pause |= matches!(self.phase, Phase::Paused { .. });
        if !matches!(self.stop, Some(StopHow::Signal { .. })) {
            return;
        }
        self.stop = self.steering.stop;
        if let Phase::Closing { outcome } | Phase::Finished { outcome } = &self.phase
            && matches!(outcome, Outcome::Interrupted { .. })
        {
            self.unsuspend();
        }
    }

    /// It ends no more: what it was suspended in comes back.
    fn unsuspend(&mut self) {
        self.phase = self.suspended.take().map_or(Phase::Boundary, |then| *then);
    }

    pub(super) fn opened(&mut self, workspace: &Workspace) {
        self.workspace = Some(workspace.clone());
        if let Phase::Opening { then } = &mut self.phase {
            // Between iterations the branch is where people left it; within one, the iteration says. A planner
            // sees the files as they are now.
            let follows = matches!(self.start.source, Source::Planning { .. });
            if follows || !matches!(**then, Phase::Iterating(_)) {
                self.head = workspace.head.clone();
                self.head_tree = workspace.tree.clone();
            }
            self.phase = match std::mem::replace(&mut **then, Phase::Boundary) {
                Phase::Boundary if self.baseline.is_none() && !follows => Phase::Baselining,
                other => other,
            };
        }
    }

    /// The run ends too early: captured work and what waited for the workspace continue where they are, an agent's
    /// call runs again.
    pub(super) fn suspend(&mut self) {
        match &mut self.phase {
            Phase::Opening { then } => {
                self.suspended = Some(std::mem::replace(then, Box::new(Phase::Boundary)));
            }
            Phase::Iterating(iteration) => match iteration.stage {
                Stage::Reapply | Stage::Checkpoint | Stage::Agent | Stage::Capture => {
                    self.remember_iteration();
                }
                Stage::Gates
                | Stage::Commit
                | Stage::Scm
                | Stage::Quarantine
                | Stage::GiveUp
                | Stage::Park => self.suspended = Some(Box::new(self.phase.clone())),
            },
            _ => {}
        }
    }

    /// The iteration under way will run again under its own number.
    pub(super) fn remember_iteration(&mut self) {
        self.remember_handoff();
        if let Phase::Iterating(iteration) = &self.phase
            && self.current == Some(iteration.task)
        {
            self.again = Some(Again {
                number: iteration.number,
                retry: iteration.retry + 1,
                task: iteration.task,
            });
        }
    }
}
