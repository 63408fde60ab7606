//! A run's journal, folded by the core: the fleet reads it and never writes it.

use anyhow::Result;
use ralph_core::{
    event::{Decision, Event},
    run::RunState,
};

/// The state that a journal's whole lines give.
pub(crate) fn fold(journal: &[u8]) -> Result<Option<RunState>> {
    let mut state = None;
    apply(&mut state, journal)?;
    Ok(state)
}

/// Folds more whole lines into a state; the events in them.
pub(crate) fn apply(state: &mut Option<RunState>, lines: &[u8]) -> Result<Vec<Event>> {
    let mut events = Vec::new();
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let decision: Decision = serde_json::from_slice(line)?;
        match state {
            Some(state) => state.apply(&decision),
            None => *state = RunState::fold([&decision]),
        }
        events.extend(decision.events);
    }
    Ok(events)
}
