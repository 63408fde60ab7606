//! Why a command did not do what it was asked: what, why, what to do, and the exit code of `docs/exit-codes.md`.

use std::{error::Error, fmt, io};

use temporalio_client::{
    errors::{WorkflowGetResultError, WorkflowInteractionError, WorkflowStartError},
    tonic::Code,
};

/// Every exit code that the fleet's commands use; they mean what they mean for `ralph`.
pub(crate) mod exit {
    pub(crate) const DONE: u8 = 0;
    /// Stopped, or cancelled, with work left.
    pub(crate) const UNFINISHED: u8 = 1;
    /// Usage, settings or pre-flight; also a server that cannot be reached.
    pub(crate) const USAGE: u8 = 2;
    /// Nothing more happens until a person looks.
    pub(crate) const NEEDS_PERSON: u8 = 3;
    /// The agent cannot be used.
    pub(crate) const AGENT: u8 = 4;
    /// Git or the repository.
    pub(crate) const WORKSPACE: u8 = 5;
    /// Somebody else works on it already.
    pub(crate) const LOCKED: u8 = 6;
    /// Refused by the sandbox.
    pub(crate) const REFUSED: u8 = 7;
    /// Somebody ended the command.
    pub(crate) const INTERRUPTED: u8 = 130;
}

/// What went wrong.
#[derive(Debug)]
pub(crate) struct CommandError {
    what: String,
    why: Vec<String>,
    help: String,
    exit: u8,
    is_away: bool,
}

impl CommandError {
    /// What is wrong, and what to do about it.
    pub(crate) fn new(exit: u8, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { what: what.into(), why: Vec::new(), help: help.into(), exit, is_away: false }
    }

    /// The same for what was asked in a way that cannot be done.
    pub(crate) fn usage(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(exit::USAGE, what, help)
    }

    /// The same with reasons.
    #[must_use]
    pub(crate) fn because(self, why: Vec<String>) -> Self {
        Self { why, ..self }
    }

    /// The same with another advice.
    #[must_use]
    pub(crate) fn advising(self, help: impl Into<String>) -> Self {
        Self { help: help.into(), ..self }
    }

    /// The server did not do what it was asked.
    pub(crate) fn server(what: impl Into<String>, error: &(dyn Error + 'static)) -> Self {
        let help = "check TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE, or run ralph fleet doctor";
        Self { is_away: is_away(error), ..Self::usage(what, help).because(chain(error)) }
    }

    /// Whether the server could not be reached, so that asking again later may help.
    pub(crate) fn is_away(&self) -> bool {
        self.is_away
    }

    pub(crate) fn why(&self) -> &[String] {
        &self.why
    }

    pub(crate) fn help(&self) -> &str {
        &self.help
    }

    pub(crate) fn exit_code(&self) -> u8 {
        self.exit
    }
}

/// Whether a request failed because the server could not be reached.
pub(crate) fn is_away(error: &(dyn Error + 'static)) -> bool {
    let asked = error.downcast_ref().and_then(|error| match error {
        WorkflowInteractionError::Rpc(status) => Some(status),
        _ => None,
    });
    let waited = || match error.downcast_ref()? {
        WorkflowGetResultError::Rpc(status) => Some(status),
        _ => None,
    };
    let started = || match error.downcast_ref()? {
        WorkflowStartError::Rpc(status) => Some(status),
        _ => None,
    };
    // What the server itself refuses has no cause on this machine.
    asked.or_else(waited).or_else(started).is_some_and(|status| {
        matches!(status.code(), Code::Unavailable | Code::DeadlineExceeded)
            || status.source().is_some()
    })
}

/// An error and what caused it, each said once.
pub(crate) fn chain(error: &dyn Error) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        if !said.iter().any(|earlier| earlier.contains(&text)) {
            said.push(text);
        }
        next = error.source();
    }
    said
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        Self::new(
            exit::UNFINISHED,
            "cannot write the output",
            "check the disk and where the output goes",
        )
        .because(vec![error.to_string()])
    }
}

#[cfg(test)]
mod tests {
    use temporalio_client::tonic::Status;

    use super::*;

    #[test]
    fn only_a_server_that_cannot_be_reached_is_away() {
        let is_away = |status: Status| {
            let asked = WorkflowInteractionError::Rpc(status.clone());
            let waited = WorkflowGetResultError::Rpc(status.clone());
            let started = WorkflowStartError::Rpc(status);
            let ways: [&dyn Error; 3] = [&asked, &waited, &started];
            let [first, others @ ..] = ways.map(|way| CommandError::server("x", way).is_away());
            assert_eq!(others, [first; 2]);
            first
        };
        assert!(is_away(Status::unavailable("tcp connect error")));
        assert!(is_away(Status::deadline_exceeded("slow")));
        assert!(is_away(Status::from_error(Box::new(io::Error::other("broken pipe")))));
        for refused in [
            Status::permission_denied("no"),
            Status::invalid_argument("no"),
            Status::unauthenticated("no"),
            Status::not_found("no"),
        ] {
            assert!(!is_away(refused));
        }
        let gone = WorkflowInteractionError::NotFound(Status::unavailable("x"));
        assert!(!CommandError::server("x", &gone).is_away());
    }

    #[test]
    fn a_cause_that_its_error_repeats_is_said_once() {
        let inner = io::Error::other("no route to host");
        let outer = io::Error::other(format!("cannot connect: {inner}"));
        assert_eq!(chain(&outer), ["cannot connect: no route to host"]);
    }
}
