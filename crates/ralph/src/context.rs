//! What every command is given: where to work, how to speak, and where output goes.

use std::{io::Write, path::PathBuf};

use anstream::ColorChoice;

use crate::{
    ask::Asker,
    diagnostics::CommandError,
    reporters::{block::Entry, plain, screen::Screen},
};

/// The surroundings of one command.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub(crate) project_dir: PathBuf,
    pub(crate) config: Option<PathBuf>,
    pub(crate) json: bool,
    pub(crate) verbose: bool,
    pub(crate) color: ColorChoice,
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

    /// Entries for a person, on stderr.
    pub(crate) fn tell(&self, entries: &[Entry]) -> Result<(), CommandError> {
        let mut out = std::io::stderr().lock();
        write_entries(&mut out, &self.stderr(), entries)?;
        Ok(())
    }
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

/// Writes entries as a screen can show them.
pub(crate) fn write_entries(
    out: &mut dyn Write,
    screen: &Screen,
    entries: &[Entry],
) -> std::io::Result<()> {
    let columns = screen.columns();
    for entry in entries {
        for line in entry.render(screen.look, columns) {
            writeln!(out, "{line}")?;
        }
    }
    out.flush()
}
