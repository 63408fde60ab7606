//! How errors reach a person: `error: what`, why in lines of its own, `help: what to do`.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use ralph_core::input::{Failure, FailureClass};
use ralph_engine::{
    follow::FollowError, git::GitError, journal::JournalError, project_file::Unfit,
};

use crate::{
    exit,
    reporters::{
        block::Entry,
        line::{Line, Tone},
        screen::Screen,
    },
    words,
};

/// Why a command did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error("there is no run yet")]
    NoRun,
    /// A person left a question with Ctrl-C, Esc or the end of input.
    #[error("no answer was given")]
    Cancelled,
    /// SIGTERM or SIGHUP came while a question was asked.
    #[error("interrupted by a signal while waiting for an answer")]
    Ended,
    #[error("cannot {doing} {}", path.display())]
    File { doing: &'static str, path: PathBuf, source: io::Error },
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("cannot write the output")]
    Output(#[from] io::Error),
    /// Anything else, in the words of whoever found it.
    #[error("{what}")]
    Stated { what: String, why: Vec<String>, help: String, exit: u8 },
}

impl From<FollowError> for CommandError {
    fn from(error: FollowError) -> Self {
        match error {
            FollowError::Journal(error) => Self::Journal(error),
            FollowError::File { path, source } => Self::File { doing: "read", path, source },
        }
    }
}

impl CommandError {
    /// What is wrong, and what to do about it.
    pub(crate) fn new(exit: u8, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Stated { what: what.into(), why: Vec::new(), help: help.into(), exit }
    }

    /// The same for what was asked in a way that cannot be done.
    pub(crate) fn usage(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(exit::USAGE, what, help)
    }

    /// A name that is none of those that are known; `otherwise` is the help where none is.
    pub(crate) fn unknown(
        what: String,
        (among, known): (&str, &[String]),
        otherwise: &str,
    ) -> Self {
        match known {
            [] => Self::usage(what, otherwise),
            known => Self::usage(what, format!("{among}: {}", words::few(known, 10))),
        }
    }

    /// The same with reasons.
    #[must_use]
    pub(crate) fn because(self, reasons: Vec<String>) -> Self {
        match self {
            Self::Stated { what, help, exit, .. } => {
                Self::Stated { what, why: reasons, help, exit }
            }
            other => other,
        }
    }

    /// Makes an error of what went wrong with a file.
    pub(crate) fn file(doing: &'static str, path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::File { doing, path: path.clone(), source }
    }

    /// What to do about it.
    pub(crate) fn help(&self) -> String {
        match self {
            Self::NoRun => "start one with ralph run".into(),
            Self::Cancelled | Self::Ended => "nothing was changed; run the command again".into(),
            Self::File { source, .. } => Unfit::of(source)
                .map_or("check the path, its permissions and the disk", Unfit::help)
                .into(),
            Self::Journal(error) => error.help().into(),
            Self::Output(_) => "check the disk, or where the output goes".into(),
            Self::Stated { help, .. } => help.clone(),
        }
    }

    /// Why, in lines of its own.
    pub(crate) fn why(&self) -> Vec<String> {
        match self {
            Self::File { source, .. } | Self::Output(source) => vec![source.to_string()],
            Self::Stated { why, .. } => why.clone(),
            _ => Vec::new(),
        }
    }

    /// The exit code that goes with it.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::File { .. } | Self::Journal(_) => exit::WORKSPACE,
            Self::Output(_) => exit::UNFINISHED,
            Self::Cancelled => exit::INTERRUPTED,
            Self::Ended => exit::TERMINATED,
            Self::Stated { exit, .. } => *exit,
            Self::NoRun => exit::USAGE,
        }
    }
}

impl From<Failure> for CommandError {
    fn from(failure: Failure) -> Self {
        let exit = match failure.class {
            FailureClass::Workspace => exit::WORKSPACE,
            FailureClass::Agent => exit::AGENT,
            FailureClass::Preflight => exit::USAGE,
            FailureClass::Policy => exit::REFUSED,
            FailureClass::Bug => exit::BUG,
        };
        Self::new(exit, failure.what, failure.help)
    }
}

impl From<GitError> for CommandError {
    fn from(error: GitError) -> Self {
        Failure::from(error).into()
    }
}

/// Prints what went wrong, why, and what to do.
pub(crate) fn print(error: &CommandError, out: &mut dyn Write, screen: &Screen) -> io::Result<()> {
    let lead = Line::new().add(Tone::Bad, "error").plain(": ");
    let mut entries = vec![Entry::led(lead, error.to_string())];
    entries.extend(error.why().iter().map(|why| Entry::text(2, Tone::Plain, why)));
    let help = error.help();
    if !help.is_empty() {
        let lead = Line::new().add(Tone::Accent, "help").plain(": ");
        entries.push(Entry::led(lead, help));
    }
    write_entries(out, screen, &entries)
}

/// Writes entries as a screen can show them.
pub(crate) fn write_entries(
    out: &mut dyn Write,
    screen: &Screen,
    entries: &[Entry],
) -> io::Result<()> {
    let columns = screen.columns();
    for entry in entries {
        for line in entry.render(screen.look, columns) {
            writeln!(out, "{line}")?;
        }
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;
    use crate::reporters::{line::Look, screen::Width};

    fn one_of_each() -> Vec<CommandError> {
        let file = || io::Error::from(io::ErrorKind::PermissionDenied);
        vec![
            CommandError::NoRun,
            CommandError::unknown("there is no run called x".into(), ("runs", &["a".into()]), "x"),
            CommandError::unknown("there is no gate called x".into(), ("gates", &[]), "add one"),
            CommandError::Cancelled,
            CommandError::Ended,
            CommandError::file("read", Path::new("x"))(file()),
            CommandError::Journal(JournalError::Empty { path: "x".into() }),
            CommandError::Output(file()),
            CommandError::new(exit::AGENT, "what is wrong", "do this")
                .because(vec!["one reason".into(), "another".into()]),
        ]
    }

    #[test]
    fn every_error_has_help_and_a_documented_exit_code() {
        for error in one_of_each() {
            assert!(!error.help().is_empty(), "{error}");
            assert_ne!(error.exit_code(), exit::DONE, "{error}");
            let text = error.to_string();
            assert!(!text.ends_with('.') && !text.contains('!'), "{text}");
        }
    }

    #[test]
    fn errors_say_what_why_and_what_to_do() -> io::Result<()> {
        let screen = Screen {
            look: Look::default(),
            width: Width::Fixed(80),
            live: false,
            zone: TimeZone::UTC,
        };
        let mut out = Vec::new();
        for error in one_of_each() {
            print(&error, &mut out, &screen)?;
        }
        insta::assert_snapshot!("errors", String::from_utf8_lossy(&out));
        Ok(())
    }
}
