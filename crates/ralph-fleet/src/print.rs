//! How commands speak: data to standard output, everything else to standard error, in the shapes the rest of ralph has.
//! Knows no command's work.

use std::io::{self, IsTerminal as _, Write as _};

use serde::Serialize;

use crate::{cli::Color, error::CommandError};

/// Where a command's words go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printer {
    pub(crate) is_json: bool,
    is_coloured: bool,
}

/// A sign at the beginning of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    Ok,
    Warning,
    Bad,
}

impl Sign {
    fn text(self) -> (&'static str, &'static str) {
        match self {
            Self::Ok => ("✓", "32"),
            Self::Warning => ("!", "33"),
            Self::Bad => ("✗", "31"),
        }
    }
}

impl Printer {
    pub(crate) fn new(color: Color, is_json: bool) -> Self {
        let is_coloured = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
                let is_dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
                io::stderr().is_terminal() && !is_set("NO_COLOR") && !is_dumb
            }
        };
        Self { is_json, is_coloured }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.is_coloured { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// Says to a person what was done.
    pub(crate) fn done(self, text: &str) -> Result<(), CommandError> {
        note(&format!("{} {text}", self.sign(Sign::Ok)))
    }

    /// Warns a person of what stops nothing.
    pub(crate) fn warn(self, text: &str) -> Result<(), CommandError> {
        note(&self.paint("33", &format!("warning: {text}")))
    }

    /// Says what to type next.
    pub(crate) fn next(self, text: &str) -> Result<(), CommandError> {
        note(&format!("{}{text}", self.paint("36", "next: ")))
    }

    pub(crate) fn sign(self, sign: Sign) -> String {
        let (text, code) = sign.text();
        self.paint(code, text)
    }

    /// Prints what went wrong, why, and what to do. A screen that cannot be written to has nobody in front of it.
    pub(crate) fn error(self, error: &CommandError) {
        let mut lines = vec![format!("{}: {error}", self.paint("31", "error"))];
        lines.extend(error.why().iter().map(|why| format!("  {why}")));
        if !error.help().is_empty() {
            lines.push(format!("{}: {}", self.paint("36", "help"), error.help()));
        }
        let _ = note(&lines.join(
            "
",
        ));
    }
}

/// One line of data, or several.
pub(crate) fn answer(text: &str) -> Result<(), CommandError> {
    match writeln!(io::stdout().lock(), "{text}") {
        // Whoever reads has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// One JSON value as a command's answer.
pub(crate) fn answer_json(value: &impl Serialize) -> Result<(), CommandError> {
    answer(&serde_json::to_string_pretty(value).map_err(io::Error::from)?)
}

/// Says something to a person.
pub(crate) fn note(text: &str) -> Result<(), CommandError> {
    writeln!(io::stderr().lock(), "{text}")?;
    Ok(())
}

/// Text that came from elsewhere, without anything that a terminal would obey.
pub(crate) fn harmless(text: &str) -> String {
    ralph_text::sanitise::clean(text).replace('\n', " ")
}

/// Rows as columns that line up; the last one is as long as it is.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
    };
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_lines_end_without_blanks() {
        let rows =
            [vec!["a".into(), "long one".into(), "x".into()], vec!["bcd".into(), String::new()]];
        assert_eq!(table(&rows), "a    long one  x\nbcd");
        assert_eq!(table(&[]), "");
    }

    #[test]
    fn colour_is_left_out_where_it_is_not_wanted() {
        assert_eq!(Printer::new(Color::Never, false).sign(Sign::Bad), "✗");
        assert_eq!(Printer::new(Color::Always, false).sign(Sign::Ok), "\u{1b}[32m✓\u{1b}[0m");
    }
}
