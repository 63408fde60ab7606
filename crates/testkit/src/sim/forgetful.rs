//! Planted bugs about memory: a bound that does not hold, a constraint that is lost, a compaction that does more.

use ralph_core::{
    event::Event,
    memory::context::Statement,
    time::{Millis, Timestamp},
};

use super::bugs::Bug;

/// Changes what a compaction is.
pub(super) fn decide(bug: Bug, at: Timestamp, mut events: Vec<Event>) -> Vec<Event> {
    let Some(Event::MemoryCompacted(compaction)) =
        events.iter_mut().find(|event| matches!(event, Event::MemoryCompacted(_)))
    else {
        return events;
    };
    let context = &mut compaction.context;
    match bug {
        Bug::MemoryOverBudget => {
            let text = "kept though there is no room ".repeat(10);
            context.decisions.extend((0..500).map(|n| Statement::new(format!("{text}{n}"), n)));
        }
        Bug::ConstraintForgotten => {
            context.constraints.pop();
        }
        Bug::CompactionWaits => {
            let until = at.plus(Millis(900));
            events.push(Event::WaitBegan { until, why: "memory".into() });
        }
        _ => {}
    }
    events
}
