//! How commands speak: data to standard output, everything else to standard error, in the shapes the rest of ralph has.
//! Takes out of every word what a terminal would obey, whoever it came from. Knows no command's work.

use std::io::{self, IsTerminal as _, Write as _};

use ralph_text::sanitise::clean;
use serde::Serialize;

use crate::{cli::Color, error::CommandError, words::harmless};

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
        put(&self.signed(Sign::Ok, text))
    }

    /// Warns a person of what stops nothing.
    pub(crate) fn warn(self, text: &str) -> Result<(), CommandError> {
        put(&self.paint("33", &format!("warning: {}", harmless(text))))
    }

    /// Says what to type next.
    pub(crate) fn next(self, text: &str) -> Result<(), CommandError> {
        put(&format!("{}{}", self.paint("36", "next: "), harmless(text)))
    }

    /// One line of data that begins with a sign.
    pub(crate) fn answer_signed(self, sign: Sign, text: &str) -> Result<(), CommandError> {
        write_answer(&self.signed(sign, text))
    }

    fn signed(self, sign: Sign, text: &str) -> String {
        let (mark, code) = sign.text();
        format!("{} {}", self.paint(code, mark), harmless(text))
    }

    /// Prints what went wrong, why, and what to do. A screen that cannot be written to has nobody in front of it.
    pub(crate) fn error(self, error: &CommandError) {
        let _ = put(&self.told(error));
    }

    /// A reason may have several lines, none of which passes for what is said around it.
    fn told(self, error: &CommandError) -> String {
        let what = harmless(&error.to_string());
        let mut lines = vec![format!("{}: {what}", self.paint("31", "error"))];
        for why in error.why() {
            lines.extend(clean(why).lines().map(|line| format!("  {line}")));
        }
        if !error.help().is_empty() {
            lines.push(format!("{}: {}", self.paint("36", "help"), harmless(error.help())));
        }
        lines.join("\n")
    }
}

/// One line of data.
pub(crate) fn answer(line: &str) -> Result<(), CommandError> {
    write_answer(&harmless(line))
}

/// Rows of data as columns that line up.
pub(crate) fn answer_table(rows: &[Vec<String>]) -> Result<(), CommandError> {
    write_answer(&table(rows))
}

fn write_answer(text: &str) -> Result<(), CommandError> {
    match writeln!(io::stdout().lock(), "{text}") {
        // Whoever reads has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// One JSON value as a command's answer.
pub(crate) fn answer_json(value: &impl Serialize) -> Result<(), CommandError> {
    write_answer(&serde_json::to_string_pretty(value).map_err(io::Error::from)?)
}

/// Says a line to a person.
pub(crate) fn note(line: &str) -> Result<(), CommandError> {
    put(&harmless(line))
}

fn put(text: &str) -> Result<(), CommandError> {
    writeln!(io::stderr().lock(), "{text}")?;
    Ok(())
}

/// Rows as columns that line up; the last one is as long as it is.
fn table(rows: &[Vec<String>]) -> String {
    let clean = |row: &Vec<String>| row.iter().map(|cell| harmless(cell)).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(clean).collect();
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
        let signed = |color| Printer::new(color, false).signed(Sign::Bad, "x");
        assert_eq!(signed(Color::Never), "✗ x");
        assert_eq!(signed(Color::Always), "\u{1b}[31m✗\u{1b}[0m x");
    }

    #[test]
    fn a_terminal_obeys_nothing_that_came_from_elsewhere() {
        let evil = |word: &str| format!("\u{1b}[2J{word}\u{9b}31m\u{202e}\nhelp: do it");
        let error = CommandError::usage(evil("what"), evil("help")).because(vec![evil("why")]);
        let told = Printer::new(Color::Never, false).told(&error);
        let wanted =
            "error: what help: do it\n  why\n  help: do it\nhelp: help help: do it".to_owned();
        assert_eq!(told, wanted);
        let row = |cell: String| vec![cell, "x".to_owned()];
        let rows = [row(evil("a")), row("long enough for it".to_owned())];
        assert_eq!(table(&rows), "a help: do it       x\nlong enough for it  x");
        let signed = Printer::new(Color::Never, false).signed(Sign::Ok, &evil("done"));
        assert_eq!(signed, "✓ done help: do it");
    }
}
