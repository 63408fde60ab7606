//! Puts blocks on the screen and keeps the status line below them.
//!
//! One write per batch, so that nothing flickers; the writer is injected and may be slow.

use std::io::Write;

use ralph_core::time::Timestamp;

use crate::reporters::{block::Entry, clock, line::Line, screen::Screen, width};

const CLEAR: &str = "\r\u{1b}[2K";

/// The screen and what is on its last line.
pub(crate) struct Frame {
    out: Box<dyn Write + Send>,
    screen: Screen,
    timestamps: bool,
    pending: String,
    status: Option<Drawn>,
    /// Columns of the status line that is on the screen now.
    drawn: Option<usize>,
}

/// A status line ready to be written.
struct Drawn {
    text: String,
    columns: usize,
}

impl Frame {
    pub(crate) fn new(out: Box<dyn Write + Send>, screen: Screen) -> Self {
        Self { out, screen, timestamps: false, pending: String::new(), status: None, drawn: None }
    }

    /// Begins each line with the time.
    pub(crate) fn with_timestamps(mut self, timestamps: bool) -> Self {
        self.timestamps = timestamps;
        self
    }

    pub(crate) fn screen(&self) -> &Screen {
        &self.screen
    }

    /// Adds entries above the status line.
    pub(crate) fn print(&mut self, at: Timestamp, entries: &[Entry]) {
        let stamp = if self.timestamps {
            format!("[{}] ", clock::seconds(at, &self.screen.zone))
        } else {
            String::new()
        };
        let columns =
            self.screen.columns().map(|columns| columns.saturating_sub(width::of(&stamp)));
        for entry in entries {
            for line in entry.render(self.screen.look, columns) {
                if !line.is_empty() {
                    self.pending.push_str(&stamp);
                    self.pending.push_str(&line);
                }
                self.pending.push('\n');
            }
        }
    }

    /// What the last line shows from now on; nothing where lines cannot be redrawn.
    pub(crate) fn status(&mut self, line: Option<Line>) {
        if !self.screen.live {
            return;
        }
        // The last column stays free: some terminals wrap as soon as it is written.
        let columns = self.screen.columns().map(|c| c.saturating_sub(1));
        self.status = line.map(|line| Drawn {
            columns: line.width(self.screen.look).min(columns.unwrap_or(usize::MAX)),
            text: line.render(self.screen.look, columns),
        });
    }

    /// Writes what was added since the last flush.
    pub(crate) fn flush(&mut self) -> std::io::Result<()> {
        let mut batch = String::new();
        if let Some(drawn) = self.drawn {
            batch.push_str(&clear(drawn, self.screen.columns()));
        }
        batch.push_str(&self.pending);
        if let Some(status) = &self.status {
            batch.push_str(&status.text);
        }
        self.drawn = self.status.as_ref().map(|status| status.columns);
        self.pending.clear();
        if batch.is_empty() {
            return Ok(());
        }
        self.out.write_all(batch.as_bytes())?;
        self.out.flush()
    }
}

/// Clears the status line, and the rows it was broken into if the terminal became narrower.
fn clear(drawn: usize, columns: Option<usize>) -> String {
    let rows = columns.map_or(0, |columns| drawn.saturating_sub(1) / columns.max(1));
    if rows == 0 { CLEAR.into() } else { format!("\r\u{1b}[{rows}A\u{1b}[J") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_that_became_narrower_keeps_no_ghost_of_the_status_line() {
        assert_eq!(clear(79, Some(80)), CLEAR);
        assert_eq!(clear(79, Some(60)), "\r\u{1b}[1A\u{1b}[J");
        assert_eq!(clear(79, Some(20)), "\r\u{1b}[3A\u{1b}[J");
    }
}
