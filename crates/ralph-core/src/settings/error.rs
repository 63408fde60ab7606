//! What can be wrong with settings, and what to do about it.

use super::Origin;

/// One thing that is wrong, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {fault}", at.place())]
pub struct SettingsError {
    pub at: Origin,
    pub fault: Fault,
    /// What to do about it.
    pub help: String,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("not valid {format}: {why}")]
    Syntax { format: &'static str, why: String },
    #[error("`{key}` is not a setting")]
    Unknown { key: String },
    #[error("`{key}` must be {expected}, but is {found}")]
    Type { key: String, expected: String, found: String },
    #[error("`{key}` is given twice")]
    Twice { key: String },
    #[error("`{key}` loosens the protection of this machine, but {who} may only tighten it")]
    Loosens { key: String, who: &'static str },
    #[error("`{key}` {why}")]
    Senseless { key: String, why: String },
}

impl SettingsError {
    /// The setting it is about; `None` where the text as a whole cannot be read.
    pub fn key(&self) -> Option<&str> {
        match &self.fault {
            Fault::Syntax { .. } => None,
            Fault::Unknown { key }
            | Fault::Type { key, .. }
            | Fault::Twice { key }
            | Fault::Loosens { key, .. }
            | Fault::Senseless { key, .. } => Some(key),
        }
    }
}

/// Something odd that does not keep a run from starting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    pub at: Origin,
    pub what: String,
    pub help: String,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.at.place(), self.what)
    }
}
