//! The port of a sandbox: can it work here, how is a command line put into it, what does it promise.

use super::profile::Profile;
use crate::fence::Wrapping;

/// One way to isolate a process tree.
pub trait Sandbox: Send + Sync {
    /// Its word in settings.
    fn name(&self) -> &'static str;

    /// Tries it for real: whether it works on this machine, for this user, now.
    fn probe(&self) -> Result<(), Unfit>;

    /// What stands before ralph's shim on the command line, and what the shim adds from inside.
    fn wrap(&self, profile: &Profile) -> Wrapping;

    /// What it keeps from whom, in one line for people. Must never promise more than was tried.
    fn describe(&self) -> &'static str;

    /// Of the program that makes it, where there is one.
    fn version(&self) -> Option<String> {
        None
    }

    /// Whether files are seen inside at other places than outside.
    fn has_own_view(&self) -> bool {
        true
    }
}

/// Why a sandbox cannot be used here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("{program} is not installed")]
    Missing { program: &'static str },
    #[error("{program} does not work here: {detail}")]
    Refused { program: &'static str, detail: String },
    /// The box was made, and something could be done in it that must not be possible.
    #[error("the box of {program} leaks: {detail}")]
    Leaks { program: &'static str, detail: String },
    #[error("it is for another operating system")]
    OtherSystem,
}
