//! What a run remembers of its iterations, and what a compaction makes of it. Touches no task.

use crate::{
    input::AgentReport,
    memory::{
        compaction::{Compaction, CompactionStart, Trigger},
        levels::{Facts, Record},
    },
    run::{Phase, RunState},
    vocabulary::Kind,
};

impl RunState {
    /// A call that nobody judged is over. What its agent wrote down of it still holds: no other call may follow it.
    pub(in crate::run) fn remember_handoff(&mut self) {
        let Phase::Iterating(iteration) = &self.phase else {
            return;
        };
        if iteration.report.as_ref().is_some_and(|report| report.handoff.is_some()) {
            self.remember_record();
        }
    }

    /// The iteration that closes leaves what its agent said, and what git knows of it.
    pub(super) fn remember_record(&mut self) {
        let Phase::Iterating(iteration) = &self.phase else {
            return;
        };
        let Some(report) = &iteration.report else {
            return;
        };
        let is_coding = matches!(iteration.kind, Kind::Implement | Kind::Fix)
            || (iteration.kind == Kind::Prompt && report.handoff.is_some());
        if !is_coding {
            return;
        }
        let task = self.task(iteration.task);
        let captured = iteration.captured.as_ref();
        let facts = Facts {
            iteration: iteration.number,
            kind: iteration.kind,
            task: task.map_or("", |task| task.id.as_str()),
            title: task.map_or("", |task| task.title.as_str()),
            accepted: iteration.verdict.as_ref().is_some_and(|verdict| verdict.accepted),
            files: captured.map_or(&[], |captured| captured.sample.as_slice()),
            changed: captured.map_or(0, |captured| captured.changed),
        };
        let record = Record::new(&facts, report.handoff.as_ref());
        self.memory.remember(record);
    }

    pub(super) fn compaction_began(&mut self, start: &CompactionStart) {
        self.memory.asked.extend(start.libraries.iter().map(|name| name.to_lowercase()));
        if let Trigger::Task { task } = &start.why {
            self.memory.asked.insert(task.clone());
        }
        self.phase = Phase::Compacting(Box::new(start.clone()));
    }

    pub(super) fn memory_compacted(&mut self, compaction: &Compaction) {
        self.memory.compacted(compaction);
        self.steering.ends_call = false;
        if matches!(self.phase, Phase::Compacting(_)) {
            self.phase = Phase::Boundary;
        }
    }

    /// What an agent that compacts took counts for the run and for no task.
    pub(super) fn compactor_ended(&mut self, report: &AgentReport) {
        let Phase::Compacting(start) = &self.phase else {
            return;
        };
        let agent = start.agent.clone();
        self.usage.add(report.usage);
        self.count_call(Kind::Compact, agent, report);
    }
}
