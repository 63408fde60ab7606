//! What an agent did against the rules, written down before it is put right: a capture that is killed and repeated
//! must come to the same verdict.

use std::path::{Path, PathBuf};

use ralph_core::vocabulary::Violation;

use super::{
    error::GitError,
    files::{read_if_there, remove_if_there, write_durably},
};

/// Who wrote what must not be taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// It came with what an agent did.
    Agents,
    /// It was found where a run goes on: a person may have written it meanwhile.
    Nobodys,
}

fn file(truth: &Path) -> PathBuf {
    truth.join("violations")
}

/// What an earlier process found since the checkpoint.
pub(crate) fn recall(truth: &Path) -> Vec<Violation> {
    let bytes = read_if_there(&file(truth)).ok().flatten().unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Writes down what is not known yet.
pub(crate) fn remember(
    truth: &Path,
    found: impl IntoIterator<Item = Violation>,
) -> Result<(), GitError> {
    let mut known = recall(truth);
    let before = known.len();
    for violation in found {
        if !known.contains(&violation) {
            known.push(violation);
        }
    }
    if known.len() == before {
        return Ok(());
    }
    write_durably(&file(truth), &serde_json::to_vec(&known).unwrap_or_default())
}

/// A new agent call begins.
pub(crate) fn forget(truth: &Path) -> Result<(), GitError> {
    remove_if_there(&file(truth))
}
