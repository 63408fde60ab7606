//! Reads a gate's output with all known runners at once and adds up what they say.

use ralph_text::{
    fingerprint::Gist,
    lines::{Lines, Piece},
};

use super::RUNNERS;
use crate::gates::report::TestSummary;

/// More failing names than this are not compared.
const MAX_NAMES: usize = 500;

/// Reads one runner's output line by line, in constant memory but for the failing names.
pub trait RunnerReader: std::fmt::Debug + Send {
    /// One clean line, without its line break.
    fn line(&mut self, line: &str);

    /// What it said, with `None` for whatever is not known for sure; `None` if the runner was not seen.
    fn finish(self: Box<Self>) -> Option<TestSummary>;
}

/// Failing names as they are read, bounded.
#[derive(Debug, Default)]
pub(super) struct Names {
    names: Vec<String>,
    too_many: bool,
}

impl Names {
    pub(super) fn push(&mut self, name: String) {
        if self.names.len() < MAX_NAMES {
            self.names.push(name);
        } else {
            self.too_many = true;
        }
    }

    pub(super) fn len(&self) -> u64 {
        self.names.len() as u64
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// Takes out all names so far.
    pub(super) fn drain(&mut self) -> Vec<String> {
        std::mem::take(&mut self.names)
    }

    /// The names, if they are all there are.
    pub(super) fn all_if(self, complete: bool) -> Option<Vec<String>> {
        (complete && !self.too_many).then(|| sorted(self.names))
    }
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort_unstable();
    names.dedup();
    names
}

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
        self.lines.feed(bytes, &mut |piece| tell(readers, gist, piece));
    }

    /// What all runners said together: one gate may call several.
    pub fn finish(mut self) -> TestSummary {
        let (readers, gist) = (&mut self.readers, &mut self.gist);
        self.lines.finish(&mut |piece| tell(readers, gist, piece));
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

fn tell(readers: &mut [Box<dyn RunnerReader>], gist: &mut Gist, piece: Piece<'_>) {
    gist.piece(piece);
    if piece.begins {
        for reader in readers {
            reader.line(piece.text);
        }
    }
}
