//! What a run's state remembers: the compacted context and the records that came after it. A fold of events.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{compaction::Compaction, context::Context, levels::Record};

/// The memory of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    pub context: Context,
    /// Records since the last compaction, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<Record>,
    /// Bytes of the handoffs since the last compaction.
    pub bytes: u64,
    /// Coding iterations since the last compaction.
    pub iterations: u32,
    pub compactions: u32,
    /// Tasks and libraries for which documentation was asked for once.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub asked: BTreeSet<String>,
}

impl Memory {
    /// Remembers what an iteration left.
    pub fn remember(&mut self, record: Record) {
        self.bytes = self.bytes.saturating_add(record.bytes);
        // One that ran again under its own number is still one.
        if self.records.last().is_none_or(|last| last.iteration != record.iteration) {
            self.iterations = self.iterations.saturating_add(1);
        }
        self.records.push(record);
    }

    /// A reviewer refused the work on a task.
    pub fn refuse(&mut self, task: &str) {
        for record in self.records.iter_mut().filter(|record| record.task == task) {
            record.refused = true;
        }
    }

    /// The context takes the place of everything that went into it.
    pub fn compacted(&mut self, compaction: &Compaction) {
        self.context = compaction.context.clone();
        self.records.clear();
        self.bytes = 0;
        self.iterations = 0;
        self.compactions = compaction.number;
    }
}
