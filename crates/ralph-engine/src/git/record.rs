//! What must be known to open a run's workspace again after a crash; kept in the run's truth folder.

use std::path::{Path, PathBuf};

use ralph_core::ids::CommitId;
use serde::{Deserialize, Serialize};

use super::{
    error::GitError,
    files::{RelPath, read_if_there, write_durably},
    survey::DotGit,
};

/// The workspace of one run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) v: u32,
    pub(crate) phase: Phase,
    pub(crate) branch: String,
    pub(crate) came_from: String,
    pub(crate) root: PathBuf,
    pub(crate) is_linked: bool,
    /// Where the run branch stood when the workspace was opened.
    pub(crate) head: CommitId,
    /// The user's changes that wait to be brought back.
    pub(crate) stash: Option<String>,
    /// The branch that they were on, where it is not the one that the user came from.
    #[serde(default)]
    pub(crate) stashed_on: Option<String>,
    /// The ref that has the user's untracked files as they were.
    pub(crate) untracked: Option<String>,
    pub(crate) dot_gits: Vec<DotGit>,
    pub(crate) submodules: Vec<RelPath>,
    /// Whether a person has taken what the run begins with; what an older ralph recorded does not say.
    #[serde(default)]
    pub(crate) is_taken: bool,
    /// Agents write over the worktree, not into it.
    #[serde(default)]
    pub(crate) is_layered: bool,
    /// What people changed after a process of the run died; it comes back with the rest.
    #[serde(default)]
    pub(crate) yours: Vec<String>,
    /// The user's changes that did not fit when the workspace was left.
    #[serde(default)]
    pub(crate) unreturned: Vec<Unreturned>,
}

/// Changes of the user's that ralph could not bring back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unreturned {
    /// The ref that keeps them.
    pub stash: String,
    /// What a person types to get them into the files.
    pub apply: String,
}

/// How far the workspace is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Phase {
    /// What is the user's is safe; the checkout is being changed.
    #[default]
    Opening,
    Open,
    Closed,
}

/// Name of a record that is not opened again.
const RETIRED: &str = "workspace.undone.json";

/// Whether a workspace was recorded in a run's truth folder.
pub(crate) fn has_record(truth: &Path) -> bool {
    Record::file(truth).is_file()
}

/// Whether a workspace was ever recorded there, also one that is not opened again.
pub(crate) fn had_record(truth: &Path) -> bool {
    has_record(truth) || truth.join(RETIRED).is_file()
}

/// Whether a workspace was opened and never left in order.
pub(crate) fn is_open(truth: &Path) -> bool {
    phase(truth).is_some_and(|phase| phase != Phase::Closed)
}

fn phase(truth: &Path) -> Option<Phase> {
    Record::load(truth).ok()?.map(|record| record.phase)
}

/// Where a run has put files that stood in the way.
pub(crate) fn aside_folder(truth: &Path) -> PathBuf {
    let record = Record::load(truth).ok().flatten();
    record.map_or_else(|| truth.join("set-aside"), |record| record.aside_folder(truth))
}

/// The ref with the user's changes that wait to be brought back.
pub(crate) fn kept_changes(truth: &Path) -> Option<String> {
    Record::load(truth).ok()??.stash
}

/// The user's changes that did not fit, whether the workspace can be opened again or not.
pub(crate) fn unreturned(truth: &Path) -> Vec<Unreturned> {
    let records = Record::all(truth).unwrap_or_default();
    records.into_iter().flat_map(|record| record.unreturned).collect()
}

/// Whether the workspace was left in order, so that nothing of it is needed any more.
pub(crate) fn is_closed(truth: &Path) -> bool {
    phase(truth) == Some(Phase::Closed)
}

/// Keeps a workspace from being opened again: what it stood on was taken back, or its plan put away.
pub(crate) fn retire(truth: &Path) -> std::io::Result<()> {
    let file = Record::file(truth);
    if file.is_file() { std::fs::rename(&file, truth.join(RETIRED)) } else { Ok(()) }
}

impl Record {
    /// Where files go that stand in the way.
    pub(crate) fn aside_folder(&self, truth: &Path) -> PathBuf {
        if !self.is_linked {
            return truth.join("set-aside");
        }
        // A linked worktree may be on another disk than the repository.
        let name = self.root.file_name().unwrap_or_default().to_string_lossy();
        self.root.with_file_name(format!("{name}.set-aside"))
    }

    fn file(truth: &Path) -> PathBuf {
        truth.join("workspace.json")
    }

    /// The record of an earlier process, if there is one.
    pub(crate) fn load(truth: &Path) -> Result<Option<Self>, GitError> {
        Self::read(&Self::file(truth))
    }

    /// Every record of a run, whether it can be opened again or not.
    pub(crate) fn all(truth: &Path) -> Result<Vec<Self>, GitError> {
        let records = [Self::read(&Self::file(truth))?, Self::read(&truth.join(RETIRED))?];
        Ok(records.into_iter().flatten().collect())
    }

    fn read(file: &Path) -> Result<Option<Self>, GitError> {
        let Some(bytes) = read_if_there(file)? else {
            return Ok(None);
        };
        let record = serde_json::from_slice(&bytes).map_err(|error| GitError::Damaged {
            what: format!("{} cannot be read: {error}", file.display()),
        })?;
        Ok(Some(record))
    }

    /// Writes the record so that it survives a crash.
    pub(crate) fn save(&self, truth: &Path) -> Result<(), GitError> {
        let bytes = serde_json::to_vec(self).map_err(|error| GitError::Damaged {
            what: format!("the workspace cannot be recorded: {error}"),
        })?;
        write_durably(&Self::file(truth), &bytes)
    }
}
