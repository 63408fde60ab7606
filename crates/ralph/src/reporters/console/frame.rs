//! Puts blocks on the screen and keeps the status line below them.
//!
//! One write per batch, so that nothing flickers; the writer is injected and may be slow.

use std::io::Write;

use ralph_core::time::Timestamp;

use crate::reporters::{block::Entry, clock, line::Line, plain, screen::Screen};

const CLEAR: &str = "\r\u{1b}[2K";

/// The screen and what is on its last line.
pub(crate) struct Frame {
    out: Box<dyn Write + Send>,
    screen: Screen,
    timestamps: bool,
    pending: String,
    status: Option<String>,
    drawn: bool,
}

impl Frame {
    pub(crate) fn new(out: Box<dyn Write + Send>, screen: Screen) -> Self {
        Self { out, screen, timestamps: false, pending: String::new(), status: None, drawn: false }
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
            self.screen.columns().map(|columns| columns.saturating_sub(plain::width(&stamp)));
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
        self.status = line.map(|line| line.render(self.screen.look, columns));
    }

    /// Writes what was added since the last flush.
    pub(crate) fn flush(&mut self) -> std::io::Result<()> {
        let mut batch = String::new();
        if self.drawn {
            batch.push_str(CLEAR);
        }
        batch.push_str(&self.pending);
        if let Some(status) = &self.status {
            batch.push_str(status);
        }
        self.drawn = self.status.is_some();
        self.pending.clear();
        if batch.is_empty() {
            return Ok(());
        }
        self.out.write_all(batch.as_bytes())?;
        self.out.flush()
    }
}
