//! Why a command is denied. It must never decide that.

/// The rule that denies a command, and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Denial {
    pub(crate) rule: String,
    pub(crate) reason: String,
    pub(crate) instead: String,
}

/// The first denial ends the walk through a command.
pub(crate) type Walk<T> = Result<T, Box<Denial>>;
