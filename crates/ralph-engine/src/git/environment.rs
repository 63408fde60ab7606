//! What git may see of the caller's environment: its own settings, identity and keys, nothing else.

use std::{ffi::OsString, path::PathBuf};

/// Variables of the caller's environment that git may see.
const PASSED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "EMAIL",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "SSH_AUTH_SOCK",
];

/// Which git to start, and with which variables.
#[derive(Debug, Clone)]
pub struct GitEnv {
    pub(crate) program: PathBuf,
    pub(crate) vars: Vec<(OsString, OsString)>,
}

impl GitEnv {
    /// The git on the PATH, with what it needs of this process's environment.
    pub fn inherited() -> Self {
        let vars = PASSED
            .iter()
            .filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?)))
            .collect();
        Self { program: PathBuf::from("git"), vars }
    }

    /// A given git with given variables.
    pub fn new(program: impl Into<PathBuf>, vars: Vec<(OsString, OsString)>) -> Self {
        Self { program: program.into(), vars }
    }
}
