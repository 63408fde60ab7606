//! A snapshot shortens reading: the state after some decisions, and where the journal goes on from there.

use std::{fs, path::Path};

use ralph_core::run::RunState;
use serde::{Deserialize, Serialize};

use super::line;
use crate::atomic_write::{self, Access};

/// A state and the place in the journal it stands for. Always replaceable by reading the whole journal.
#[derive(Debug, Serialize, Deserialize)]
pub struct Snapshot {
    v: u32,
    /// Journal bytes folded into the state.
    pub offset: u64,
    pub state: RunState,
}

#[derive(Serialize)]
struct Borrowed<'a> {
    v: u32,
    offset: u64,
    state: &'a RunState,
}

impl Snapshot {
    /// Replaces the snapshot in a run's folder. Returns its size.
    pub fn write(folder: &Path, offset: u64, state: &RunState) -> std::io::Result<u64> {
        let bytes = line::seal(&Borrowed { v: 1, offset, state })?;
        atomic_write::replace(&folder.join("snapshot"), &bytes, Access::Private)?;
        Ok(bytes.len() as u64)
    }

    /// The snapshot of a run's folder, if there is a sound one that this version understands.
    pub fn read(folder: &Path) -> Option<Self> {
        let bytes = fs::read(folder.join("snapshot")).ok()?;
        if !line::is_sound(&bytes) {
            return None;
        }
        let mut snapshot: Self = serde_json::from_slice(&bytes).ok()?;
        snapshot.state.reindex();
        (snapshot.v == 1).then_some(snapshot)
    }
}
