//! Bodies of here-documents.

use super::{
    cursor::{Cursor, Parsed, Pending},
    tree::{Piece, Word},
};

impl Cursor {
    /// Reads the bodies of the here-documents that begin on the line before.
    pub(super) fn read_pending(&mut self) -> Parsed<()> {
        for pending in std::mem::take(&mut self.pending) {
            let text = self.body(&pending);
            let word = if pending.expands {
                self.inside(&text)?.text_to_end()?
            } else {
                Word { pieces: vec![Piece::Quoted(text)] }
            };
            let _ = pending.body.set(word);
        }
        Ok(())
    }

    fn body(&mut self, pending: &Pending) -> String {
        let mut text = String::new();
        while let Some(line) = self.line() {
            let line = if pending.strips_tabs { line.trim_start_matches('\t') } else { &line };
            if line == pending.end {
                break;
            }
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}
