//! Compactions of memory in one calm line, the same words everywhere.

use ralph_core::{
    agent_facts::short_name,
    event::Event,
    memory::compaction::{Compaction, CompactionStart, Compactor},
};

use crate::words;

/// The line of an event about memory, if it is one.
pub(crate) fn told(event: &Event) -> Option<String> {
    match event {
        Event::CompactionBegan(start) => Some(began(start)),
        Event::MemoryCompacted(compaction) => Some(compacted(compaction)),
        _ => None,
    }
}

/// `compacted memory: 12 handoffs → 2.1K tokens, 3 facts left out`.
pub(crate) fn compacted(compaction: &Compaction) -> String {
    let mut line = format!(
        "compacted memory: {} → {} tokens",
        words::count(compaction.records.into(), "handoff"),
        words::short(compaction.tokens.into()),
    );
    if compaction.left_out > 0 {
        let facts = words::count(compaction.left_out.into(), "fact");
        line = format!("{line}, {facts} left out");
    }
    if let Compactor::BuiltIn { why } = &compaction.by
        && !why.is_empty()
    {
        line = format!("{line} (by ralph itself: {why})");
    }
    line
}

/// `compacting memory with claude: 5 iterations`.
pub(crate) fn began(start: &CompactionStart) -> String {
    let agent = short_name(&start.agent);
    format!("compacting memory with {agent}: {}", start.why.describe())
}
