//! Brings a run back from disk: snapshot where it helps, then every decision after it.

use std::{fs, path::Path};

use ralph_core::{event::Event, run::RunState};

use super::{JournalError, Snapshot, Tail, reader};

/// A run as its journal tells it.
#[derive(Debug)]
pub struct Recovered {
    pub state: RunState,
    /// Bytes of sound decisions.
    pub length: u64,
    pub tail: Tail,
}

/// Folds the journal at `path`, starting from the snapshot beside it if that one fits.
pub fn recover(path: &Path) -> Result<Recovered, JournalError> {
    if let Some(snapshot) = path.parent().and_then(Snapshot::read)
        && let Some(recovered) = from_snapshot(path, snapshot)
    {
        return Ok(recovered);
    }
    let mut state: Option<RunState> = None;
    let (length, tail) = reader::read(path, 0, 0, |decision| match &mut state {
        Some(state) => state.apply(&decision),
        None => {
            if let Some(Event::RunStarted(start)) = decision.events.first() {
                let mut first = RunState::new(decision.run.clone(), decision.at, (**start).clone());
                first.apply(&decision);
                state = Some(first);
            }
        }
    })?;
    match state {
        Some(state) => Ok(Recovered {
            state,
            length,
            tail,
        }),
        None => Err(JournalError::Empty {
            path: path.to_owned(),
        }),
    }
}

/// Goes on from a snapshot; `None` if journal and snapshot do not belong together.
fn from_snapshot(path: &Path, snapshot: Snapshot) -> Option<Recovered> {
    let Snapshot {
        offset, mut state, ..
    } = snapshot;
    if fs::metadata(path).ok()?.len() < offset {
        return None;
    }
    let seq = state.seq;
    let (length, tail) = reader::read(path, offset, seq, |decision| state.apply(&decision)).ok()?;
    Some(Recovered {
        state,
        length,
        tail,
    })
}
