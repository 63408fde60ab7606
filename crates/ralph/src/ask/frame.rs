//! Lines at the bottom of the terminal that are drawn again in place. Never writes a line as wide as the screen.

use std::{fmt::Write as _, io};

use super::terminal::say;
use crate::reporters::{plain, screen::Screen, width};

/// Rows of a terminal that does not tell.
const ROWS: usize = 24;
/// Columns of a terminal that does not tell.
const COLUMNS: usize = 80;

/// What stands on the terminal.
#[derive(Debug, Default)]
pub(super) struct Frame {
    /// Columns each drawn line takes.
    drawn: Vec<usize>,
    /// The line in which the cursor stands.
    row: usize,
}

/// Where the cursor stands after drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cursor {
    Hidden,
    /// Line and column.
    At(usize, usize),
}

impl Frame {
    /// Draws lines over those that were drawn before.
    pub(super) fn draw(
        &mut self,
        screen: &Screen,
        lines: &[String],
        cursor: Cursor,
    ) -> io::Result<()> {
        let mut text = self.back(columns(screen));
        text.push_str(&lines.join("\r\n"));
        self.drawn = lines.iter().map(|line| width::of(&plain::clean(line))).collect();
        self.row = lines.len().saturating_sub(1);
        match cursor {
            Cursor::Hidden => text.push_str("\x1b[?25l"),
            Cursor::At(row, column) => {
                // Writing to a string cannot fail.
                let _ = write!(text, "\r{}", moved('A', self.row.saturating_sub(row)));
                let _ = write!(text, "{}\x1b[?25h", moved('C', column));
                self.row = row;
            }
        }
        say(&text)
    }

    /// Replaces what was drawn by lines that stay.
    pub(super) fn settle(&mut self, screen: &Screen, lines: &[String]) -> io::Result<()> {
        let mut text = self.back(columns(screen));
        for line in lines {
            let _ = write!(text, "{line}\r\n");
        }
        text.push_str("\x1b[?25h");
        *self = Self::default();
        say(&text)
    }

    /// To the beginning of what was drawn, and all of it away. A terminal that became narrower has broken the lines.
    fn back(&self, columns: usize) -> String {
        let rows = |wide: &usize| wide.saturating_sub(1) / columns.max(1) + 1;
        let above: usize = self.drawn.iter().take(self.row).map(rows).sum();
        format!("\r{}\x1b[J", moved('A', above))
    }
}

fn moved(way: char, steps: usize) -> String {
    if steps == 0 { String::new() } else { format!("\x1b[{steps}{way}") }
}

/// Columns of the terminal right now.
pub(super) fn columns(screen: &Screen) -> usize {
    screen.columns().unwrap_or(COLUMNS)
}

/// Rows of the terminal right now.
pub(super) fn rows() -> usize {
    let size = terminal_size::terminal_size_of(io::stderr());
    size.map_or(ROWS, |(_, height)| usize::from(height.0)).max(4)
}
