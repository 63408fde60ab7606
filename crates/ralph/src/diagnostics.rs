//! How errors reach a person: `error: what`, why in lines of its own, `help: what to do`.

use std::{fmt, io::Write, path::PathBuf};

use ralph_engine::{journal::JournalError, project_file::Unfit};

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
    #[error("{first} cannot be combined with {second}")]
    Conflict { first: String, second: String },
    #[error("{flag} needs {needs}")]
    Needs { flag: String, needs: String },
    #[error("{value} is not a valid number of iterations")]
    NotANumber { value: String },
    #[error("`ralph {word}` is not part of this version")]
    LaterCommand { word: String, instead: &'static str },
    #[error("{} belongs to another tool: {}", path.display(), words::few(found, 5))]
    ForeignFolder { path: PathBuf, found: Vec<String> },
    #[error("{} already exists", path.display())]
    SettingsExist { path: PathBuf },
    #[error("{} already exists", path.display())]
    PlanExists { path: PathBuf },
    #[error("there is no run yet")]
    NoRun,
    #[error("there is no run called {run}")]
    UnknownRun { run: String, known: Vec<String> },
    #[error("run {run} did not work on {task}")]
    UnknownTask { run: String, task: String, known: Vec<String> },
    #[error("{task} has no attempt {attempt}")]
    UnknownTry { task: String, attempt: u32, known: Vec<String> },
    #[error("there is no gate called {gate}")]
    UnknownGate { gate: String, known: Vec<String> },
    #[error("there is no log at {}", path.display())]
    NoLog { path: PathBuf },
    #[error("no run is active here")]
    NothingRuns,
    /// A person left a question with Ctrl-C, Esc or the end of input.
    #[error("no answer was given")]
    Cancelled,
    /// SIGTERM or SIGHUP came while a question was asked.
    #[error("interrupted by a signal while waiting for an answer")]
    Ended,
    #[error("cannot {doing} {}", path.display())]
    File { doing: &'static str, path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("cannot write the output")]
    Output(#[from] std::io::Error),
    /// Anything the engine or the core says in its own words.
    #[error("{}", .0.what)]
    Told(Told),
}

/// An error in somebody else's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) what: String,
    pub(crate) why: Vec<String>,
    pub(crate) help: String,
    pub(crate) exit: u8,
}

impl CommandError {
    /// What to do about it.
    pub(crate) fn help(&self) -> String {
        match self {
            Self::Conflict { first, second } => format!("use either {first} or {second}"),
            Self::Needs { flag, needs } => format!("add {needs}, or omit {flag}"),
            Self::NotANumber { .. } => "use a whole number of at least 1, such as -n 20".into(),
            Self::LaterCommand { instead, .. } => (*instead).into(),
            Self::ForeignFolder { .. } => {
                "nothing was changed; move that folder away, or choose another project folder with -C"
                    .into()
            }
            Self::PlanExists { .. } => "edit it, or remove it first".into(),
            Self::SettingsExist { .. } => "edit it, or replace it with ralph init --force".into(),
            Self::NoRun => "start one with ralph run".into(),
            Self::UnknownRun { known, .. } => among("runs", known, "ralph run"),
            Self::UnknownTask { known, .. } => among("tasks of that run", known, "ralph status"),
            Self::UnknownTry { known, .. } => among("attempts", known, "ralph status"),
            Self::UnknownGate { known, .. } => {
                among("gates", known, "add a [[gate]] to .ralph/settings.toml")
            }
            Self::NoLog { .. } => {
                "its files may have been removed; ralph replay still shows what was decided"
                    .into()
            }
            Self::NothingRuns => {
                "ralph status shows the latest run; ralph resume continues it".into()
            }
            Self::Cancelled | Self::Ended => "nothing was changed; run the command again".into(),
            Self::File { source, .. } => Unfit::of(source)
                .map_or("check the path, its permissions and the disk", Unfit::help)
                .into(),
            Self::Journal(error) => error.help().into(),
            Self::Output(_) => "check the disk, or where the output goes".into(),
            Self::Told(told) => told.help.clone(),
        }
    }

    /// Why, in lines of its own.
    pub(crate) fn why(&self) -> Vec<String> {
        match self {
            Self::File { source, .. } | Self::Output(source) => vec![source.to_string()],
            Self::Told(told) => told.why.clone(),
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
            Self::Told(told) => told.exit,
            _ => exit::USAGE,
        }
    }
}

fn among(what: &str, known: &[String], otherwise: &str) -> String {
    if known.is_empty() { otherwise.into() } else { format!("{what}: {}", words::few(known, 10)) }
}

/// Prints an error the way every error is printed.
pub(crate) fn print(
    error: &CommandError,
    out: &mut dyn Write,
    screen: &Screen,
) -> std::io::Result<()> {
    show(out, screen, &error, (&error.why(), &error.help()))
}

/// Prints what went wrong, why, and what to do.
pub(crate) fn show(
    out: &mut dyn Write,
    screen: &Screen,
    what: &dyn fmt::Display,
    (why, help): (&[String], &str),
) -> std::io::Result<()> {
    let lead = Line::new().add(Tone::Bad, "error").plain(": ");
    let mut entries = vec![Entry::led(lead, what.to_string())];
    entries.extend(why.iter().map(|why| Entry::text(2, Tone::Plain, why)));
    if !help.is_empty() {
        let lead = Line::new().add(Tone::Accent, "help").plain(": ");
        entries.push(Entry::led(lead, help));
    }
    for line in entries.iter().flat_map(|entry| entry.render(screen.look, screen.columns())) {
        writeln!(out, "{line}")?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;
    use crate::reporters::{line::Look, screen::Width};

    fn one_of_each() -> Vec<CommandError> {
        let text = || "x".to_owned();
        let file = || std::io::Error::from(std::io::ErrorKind::PermissionDenied);
        vec![
            CommandError::Conflict { first: "--wip".into(), second: "--stash".into() },
            CommandError::Needs { flag: "--add-signal".into(), needs: "-p or -f".into() },
            CommandError::NotANumber { value: text() },
            CommandError::LaterCommand { word: "plan".into(), instead: "write .ralph/plan.json" },
            CommandError::ForeignFolder {
                path: ".ralph".into(),
                found: vec!["loop.sh".into(), "PROMPT.md".into()],
            },
            CommandError::SettingsExist { path: ".ralph/settings.toml".into() },
            CommandError::NoRun,
            CommandError::UnknownRun { run: text(), known: vec!["a".into()] },
            CommandError::UnknownTask { run: text(), task: text(), known: vec!["T-001".into()] },
            CommandError::UnknownTry { task: text(), attempt: 4, known: vec!["1".into()] },
            CommandError::UnknownGate { gate: text(), known: Vec::new() },
            CommandError::NoLog { path: "x".into() },
            CommandError::NothingRuns,
            CommandError::Cancelled,
            CommandError::Ended,
            CommandError::File { doing: "read", path: "x".into(), source: file() },
            CommandError::Journal(JournalError::Empty { path: "x".into() }),
            CommandError::Output(file()),
            CommandError::Told(Told {
                what: text(),
                why: vec![text()],
                help: text(),
                exit: exit::AGENT,
            }),
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
    fn errors_say_what_why_and_what_to_do() -> std::io::Result<()> {
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
