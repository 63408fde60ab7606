//! What a machine and its user look like from ralph.

use std::{
    ffi::{OsStr, OsString},
    path::PathBuf,
};

/// Name of git's settings in a home.
pub(super) const GIT_SETTINGS: &str = ".gitconfig";

/// What a machine and its user look like from ralph.
#[derive(Debug, Clone, Default)]
pub struct Machine {
    pub home: PathBuf,
    /// Ralph's own program.
    pub ralph: PathBuf,
    /// For what builds in this repository add to package caches.
    pub cache: PathBuf,
    pub environment: Vec<(OsString, OsString)>,
    /// What the box's own settings of git say.
    pub git_settings: String,
    /// What agents can write: no program from there is started outside a box.
    pub shut_out: Vec<PathBuf>,
}

impl Machine {
    /// A variable of the environment.
    pub(super) fn variable(&self, name: &str) -> Option<&OsStr> {
        let found = self.environment.iter().find(|(known, _)| known == name)?;
        Some(&found.1)
    }
}
