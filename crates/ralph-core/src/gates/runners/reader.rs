//! Reads a gate's output with all known runners at once and adds up what they say.

use ralph_text::{
    fingerprint::Gist,
    lines::{Lines, Piece},
};

use super::{
    RunnerReader,
    built_in::RUNNERS,
    names::{MAX_NAMES, sorted},
};
use crate::gates::report::TestSummary;

/// Reads the raw output of a gate.
#[derive(Debug)]
pub struct TestReader {
    lines: Lines,
    readers: Vec<Box<dyn RunnerReader>>,
    gist: Gist,
}

impl Default for TestReader {
    fn default() -> Self {
        let readers = RUNNERS.iter().map(|runner| (runner.reader)()).collect();
        Self { lines: Lines::default(), readers, gist: Gist::default() }
    }
}

impl TestReader {
    /// Takes the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        let (readers, gist) = (&mut self.readers, &mut self.gist);
        self.lines.feed(bytes, &mut |piece| read(readers, gist, piece));
    }

    /// What all runners said together: one gate may call several.
    pub fn finish(mut self) -> TestSummary {
        let (readers, gist) = (&mut self.readers, &mut self.gist);
        self.lines.finish(&mut |piece| read(readers, gist, piece));
        let gist = self.gist.finish();
        let seen: Vec<_> = self.readers.into_iter().filter_map(RunnerReader::finish).collect();
        if seen.is_empty() {
            return TestSummary { gist, ..TestSummary::default() };
        }
        let ran = seen.iter().map(|summary| summary.ran).sum();
        let failing: Option<Vec<_>> = seen.into_iter().map(|summary| summary.failing).collect();
        let failing = failing.map(|all| sorted(all.into_iter().flatten().collect()));
        TestSummary { ran, failing: failing.filter(|names| names.len() <= MAX_NAMES), gist }
    }
}

fn read(readers: &mut [Box<dyn RunnerReader>], gist: &mut Gist, piece: Piece<'_>) {
    gist.piece(piece);
    if piece.begins {
        for reader in readers {
            reader.line(piece.text);
        }
    }
}
