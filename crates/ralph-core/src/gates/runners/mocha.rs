//! `mocha`: counts at the end. It does not show that `--bail` cut it short, so failing names are never known.

use super::{Runner, RunnerReader, words::program};
use crate::gates::report::TestSummary;

pub(super) const RUNNER: Runner = Runner { is_called_by, reader: || Box::<Reader>::default() };

fn is_called_by(words: &[&str]) -> bool {
    words.first().is_some_and(|word| ["mocha", "_mocha"].contains(&program(word)))
}

#[derive(Debug, Default)]
struct Reader {
    passed: Option<u64>,
    failed: u64,
}

impl RunnerReader for Reader {
    fn line(&mut self, line: &str) {
        if let Some(number) = passing(line) {
            *self.passed.get_or_insert(0) += number;
        } else if self.passed.is_some()
            && let Some(number) = line.strip_prefix("  ").and_then(|l| l.strip_suffix(" failing"))
        {
            self.failed += number.parse().unwrap_or(0);
        }
    }

    fn finish(self: Box<Self>) -> Option<TestSummary> {
        let ran = Some(self.passed? + self.failed);
        let failing = (self.failed == 0).then(Vec::new);
        Some(TestSummary::new(ran, failing))
    }
}

/// The number of `  2 passing (7ms)`.
fn passing(line: &str) -> Option<u64> {
    let (number, time) = line.strip_prefix("  ")?.split_once(" passing (")?;
    time.ends_with(')').then(|| number.parse().ok()).flatten()
}
