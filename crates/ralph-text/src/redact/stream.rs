//! Redacts what comes in pieces. Holds back only what may still become a secret, and never much of it.

use std::sync::Arc;

use super::{
    scan::{BEHIND, HELD, Scanner},
    window::Care,
};

/// Text on its way.
#[derive(Debug)]
pub struct Stream {
    scanner: Arc<Scanner>,
    /// What was written last, to look back at, then what is held back.
    text: Vec<u8>,
    written: usize,
    /// How much of the text was looked at already.
    seen: usize,
}

impl Stream {
    pub(super) fn new(scanner: Arc<Scanner>) -> Self {
        Self { scanner, text: Vec::new(), written: 0, seen: 0 }
    }

    /// Takes the next piece and adds to `out` whatever is decided.
    pub fn push(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        self.text.extend_from_slice(piece);
        // Small pieces must not make all that is held back be read again each time; but a line's end is waited for.
        let is_much = (self.text.len() - self.seen) * 4 >= self.seen;
        // More than that is held back only where much of it is dropped later, and waits for as much again.
        let was_full = self.seen.saturating_sub(self.written) > HELD;
        let is_full = self.text.len() - self.written > HELD;
        if is_much || !was_full && (is_full || piece.contains(&b'\n')) {
            self.settle(false, out);
        }
    }

    /// Adds to `out` what was held back: nothing more comes.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.settle(true, out);
    }

    fn settle(&mut self, is_whole: bool, out: &mut Vec<u8>) {
        let scan = self.scanner.scan(&self.text, (self.written, is_whole), Care::Logs);
        scan.write(&self.text, (self.written, scan.decided), out);
        let keep = scan.decided.saturating_sub(BEHIND);
        self.written = scan.decided - keep;
        self.text.drain(..keep);
        self.seen = self.text.len();
    }
}
