//! One thing that was looked at, and what to do about it.

use serde::Serialize;

use crate::error::{CommandError, exit};

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Health {
    Ok,
    /// Loops work, but not as well as they could.
    Warning,
    /// No loop can be worked on.
    Bad,
}

/// One check.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Check {
    pub(super) name: &'static str,
    pub(super) health: Health,
    pub(super) detail: String,
    /// What to type.
    pub(super) fix: Option<String>,
    #[serde(skip)]
    pub(super) exit: u8,
}

impl Check {
    pub(super) fn ok(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, health: Health::Ok, detail: detail.into(), fix: None, exit: exit::DONE }
    }

    pub(super) fn warning(
        name: &'static str,
        detail: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { health: Health::Warning, fix: Some(fix.into()), ..Self::ok(name, detail) }
    }

    pub(super) fn bad(
        name: &'static str,
        detail: impl Into<String>,
        fix: impl Into<String>,
        exit: u8,
    ) -> Self {
        Self { health: Health::Bad, exit, ..Self::warning(name, detail, fix) }
    }

    pub(super) fn failed(name: &'static str, error: &CommandError) -> Self {
        let detail = [&[error.to_string()], error.why()].concat().join("; ");
        Self::bad(name, detail, error.help(), error.exit_code())
    }
}
