//! What every command is given: where to work, how to speak, and where output goes.

use std::{io::Write, path::PathBuf};

use anstream::ColorChoice;

use crate::{
    ask::{Asker, Lean},
    diagnostics::{CommandError, write_entries},
    reporters::{plain, screen::Screen},
};

/// What commands say is made of these.
pub(crate) use crate::reporters::{
    block::{Block, Entry},
    line::{Line, Sign, Tone},
};

/// The surroundings of one command.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub(crate) project_dir: PathBuf,
    pub(crate) config: Option<PathBuf>,
    pub(crate) json: bool,
    pub(crate) verbose: bool,
    pub(crate) color: ColorChoice,
    /// Settings that are to be written for a project which has none, once a person agrees.
    pub(crate) proposed: Option<String>,
}

impl Context {
    /// Where people read.
    pub(crate) fn stderr(&self) -> Screen {
        Screen::stderr(self.color, &variable)
    }

    /// Where data goes.
    pub(crate) fn stdout(&self) -> Screen {
        Screen::stdout(self.color, &variable)
    }

    /// Whether a person is there to be asked; where not, a flag must say it.
    pub(crate) fn can_ask(&self) -> bool {
        !self.json && Asker::is_possible()
    }

    /// Takes the terminal to ask questions; only where [`Self::can_ask`].
    pub(crate) fn asker(&self) -> Result<Asker, CommandError> {
        Asker::on(self.stderr())
    }

    /// Entries as the answer of a command, on stdout.
    pub(crate) fn answer(&self, entries: &[Entry]) -> Result<(), CommandError> {
        let mut out = std::io::stdout().lock();
        write_entries(&mut out, &self.stdout(), entries)?;
        Ok(())
    }

    /// Says to a person what was done.
    pub(crate) fn done(&self, text: impl Into<String>) -> Result<(), CommandError> {
        self.tell(&[Entry::led(Line::signed(Sign::Ok), text)])
    }

    /// Says something to a person.
    pub(crate) fn note(&self, text: impl Into<String>) -> Result<(), CommandError> {
        self.tell(&[Entry::text(0, Tone::Plain, text)])
    }

    /// Warns a person of what stops nothing.
    pub(crate) fn warn(&self, text: impl std::fmt::Display) -> Result<(), CommandError> {
        self.tell(&[Entry::text(0, Tone::Warn, format!("warning: {text}"))])
    }

    /// Whether a person agrees: `--yes`, an answer on a terminal, or a refusal that names the flag.
    pub(crate) fn agrees(&self, yes: bool, question: &str) -> Result<bool, CommandError> {
        if yes {
            return Ok(true);
        }
        if !self.can_ask() {
            let what = format!("confirmation needed: {question}");
            let why = vec!["there is no terminal to ask on".into()];
            return Err(CommandError::usage(what, "add --yes to confirm").because(why));
        }
        let is_agreed = self.asker()?.confirm(question, Lean::No)?;
        if !is_agreed {
            self.note("nothing was changed")?;
        }
        Ok(is_agreed)
    }

    /// Entries for a person, on stderr.
    pub(crate) fn tell(&self, entries: &[Entry]) -> Result<(), CommandError> {
        let mut out = std::io::stderr().lock();
        write_entries(&mut out, &self.stderr(), entries)?;
        Ok(())
    }
}

/// What to type next.
pub(crate) fn next_step(text: impl Into<String>) -> Entry {
    let lead = Line::new().add(Tone::Accent, "next: ");
    Entry::Wrapped { lead, indent: 6, tone: Tone::Bold, text: text.into() }
}

/// One JSON value as the answer of a command, on stdout.
pub(crate) fn answer_json(value: &impl serde::Serialize) -> Result<(), CommandError> {
    answer_text(&serde_json::to_string_pretty(value).map_err(std::io::Error::from)?)
}

/// The same, written out already.
pub(crate) fn answer_text(json: &str) -> Result<(), CommandError> {
    writeln!(std::io::stdout().lock(), "{}", plain::in_json(json))?;
    Ok(())
}

/// One variable of the environment, as text.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
