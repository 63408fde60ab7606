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
    for decision in decisions(lines) {
        let decision = decision?;
        match state {
            Some(state) => state.apply(&decision),
            None => *state = RunState::fold([&decision]),
        }
        events.extend(decision.events);
    }
    Ok(events)
}

/// The events in whole lines.
pub(crate) fn events(lines: &[u8]) -> Result<Vec<Event>> {
    let mut events = Vec::new();
    for decision in decisions(lines) {
        events.extend(decision?.events);
    }
    Ok(events)
}

fn decisions(lines: &[u8]) -> impl Iterator<Item = serde_json::Result<Decision>> {
    let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(serde_json::from_slice)
}
