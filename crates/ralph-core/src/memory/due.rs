//! When memory is compacted. Pure: the same memory, settings and task always give the same answer.

use super::{compaction::Trigger, store::Memory};
use crate::{plan::Task, settings::MemorySettings};

/// Records after which memory is compacted whatever settings say: a run's state stays bounded.
const MOST_RECORDS: usize = 64;

/// A compaction that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    pub why: Trigger,
    /// Libraries whose documentation is wanted.
    pub libraries: Vec<String>,
}

/// Whether a compaction is due before this task is worked on. Documentation is a reason only where there is an agent
/// that can look it up, and only once.
pub fn due(
    memory: &Memory,
    settings: &MemorySettings,
    task: &Task,
    looks_up: LooksUp,
) -> Option<Due> {
    let libraries: Vec<String> = match looks_up {
        LooksUp::Yes => missing(memory, task),
        LooksUp::No => Vec::new(),
    };
    let asks = looks_up == LooksUp::Yes
        && task.needs_docs
        && task.libraries.is_empty()
        && !memory.asked.contains(task.id.as_str());
    let because = |why: Trigger| Some(Due { why, libraries: libraries.clone() });
    if asks || !libraries.is_empty() {
        return because(Trigger::Task { task: task.id.to_string() });
    }
    if memory.records.is_empty() {
        return None;
    }
    if settings.threshold_bytes > 0 && memory.bytes >= settings.threshold_bytes {
        return because(Trigger::Threshold { bytes: memory.bytes });
    }
    let is_time = settings.interval > 0 && memory.iterations >= settings.interval;
    if is_time || memory.records.len() >= MOST_RECORDS {
        return because(Trigger::Interval { iterations: memory.iterations });
    }
    None
}

/// Whether the compactor can look documentation up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LooksUp {
    Yes,
    No,
}

/// Libraries of the task that the context has nothing about and that were not asked for before.
fn missing(memory: &Memory, task: &Task) -> Vec<String> {
    let is_known = |name: &str| {
        let name = name.to_lowercase();
        memory.asked.contains(&name)
            || memory.context.libraries.iter().any(|one| one.library.to_lowercase() == name)
    };
    task.libraries
        .iter()
        .filter(|name| !name.trim().is_empty() && !is_known(name))
        .cloned()
        .collect()
}
