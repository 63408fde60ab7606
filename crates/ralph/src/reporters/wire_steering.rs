//! Steering, pauses and compactions as published events.

use ralph_core::{event::Event, ids::TaskId};

use super::wire::{Compacted, Wire};

/// The published event of one event; none where it is no event of this kind.
pub(super) fn wires(event: &Event) -> Vec<Wire<'_>> {
    vec![match event {
        Event::Steered { word, ends_call } => Wire::Steered {
            task: word.task.as_ref().map(TaskId::as_str),
            text: &word.text,
            ends_call: *ends_call,
        },
        Event::PauseRequested { ends_call } => Wire::PauseRequested { ends_call: *ends_call },
        Event::Paused => Wire::RunPaused,
        Event::Unpaused => Wire::RunUnpaused,
        Event::CompactionBegan(start) => Wire::CompactionBegan {
            after: start.after,
            why: start.why.describe(),
            agent: &start.agent,
            model: &start.model,
        },
        Event::MemoryCompacted(compaction) => Wire::MemoryCompacted(Compacted {
            after: compaction.after,
            why: compaction.why.describe(),
            by: compaction.by.name(),
            handoffs: compaction.records,
            tokens: compaction.tokens,
            left_out: compaction.left_out,
        }),
        _ => return Vec::new(),
    }]
}
