//! What every command is given: where to work, how to speak, and where output goes.

use std::{
    io::{IsTerminal as _, Write},
    path::PathBuf,
};

use anstream::ColorChoice;

use super::args::{Color, Global};
use crate::{
    diagnostics::CommandError,
    reporters::{block::Entry, screen::Screen},
};

/// The surroundings of one command.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub(crate) project_dir: PathBuf,
    pub(crate) config: Option<PathBuf>,
    pub(crate) json: bool,
    pub(crate) verbose: bool,
    color: ColorChoice,
}

impl Context {
    /// From the flags that every command takes.
    pub(crate) fn new(global: &Global) -> Self {
        Self {
            project_dir: global.project_dir.clone().unwrap_or_else(|| ".".into()),
            config: global.config.clone(),
            json: global.json,
            verbose: global.verbose,
            color: match global.color {
                Color::Auto => ColorChoice::Auto,
                Color::Always => ColorChoice::Always,
                Color::Never => ColorChoice::Never,
            },
        }
    }

    /// Where people read.
    pub(crate) fn stderr(&self) -> Screen {
        Screen::stderr(self.color, &variable)
    }

    /// Where data goes.
    pub(crate) fn stdout(&self) -> Screen {
        Screen::stdout(self.color, &variable)
    }

    /// A question can be asked.
    pub(crate) fn can_ask(&self) -> bool {
        std::io::stdin().is_terminal() && std::io::stderr().is_terminal() && !self.json
    }

    /// Asks a yes-or-no question; only where [`Self::can_ask`]. Nothing typed is a yes, no input a no.
    pub(crate) fn ask(question: &str) -> Result<bool, CommandError> {
        let mut out = std::io::stderr().lock();
        write!(out, "{question} [Y/n] ")?;
        out.flush()?;
        let mut answer = String::new();
        if std::io::stdin().read_line(&mut answer)? == 0 {
            return Ok(false);
        }
        Ok(matches!(answer.trim().to_lowercase().as_str(), "" | "y" | "yes"))
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
    let mut out = std::io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, value).map_err(std::io::Error::from)?;
    writeln!(out)?;
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
