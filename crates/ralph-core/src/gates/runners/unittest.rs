//! Python's `unittest`, Django's tests included: counts at the end. It does not show that `--failfast` cut it short,
//! so failing names are never known.

use super::{Runner, RunnerReader, words::program};
use crate::gates::report::TestSummary;

pub(super) const RUNNER: Runner = Runner { is_called_by, reader: || Box::<Reader>::default() };

fn is_called_by(words: &[&str]) -> bool {
    words.first().is_some_and(|word| program(word) == "unittest")
}

#[derive(Debug, Default)]
struct Reader {
    ran: Option<u64>,
    skipped: u64,
    failed: bool,
    /// The counts of the last run have not been followed by their result yet.
    open: bool,
}

impl RunnerReader for Reader {
    fn line(&mut self, line: &str) {
        if let Some(number) = ran(line) {
            *self.ran.get_or_insert(0) += number;
            self.open = true;
        } else if self.open && !line.is_empty() {
            self.open = false;
            self.failed |= line.starts_with("FAILED");
            self.skipped += skipped(line);
        }
    }

    fn finish(self: Box<Self>) -> Option<TestSummary> {
        let listed = self.ran?;
        // A class that is skipped as a whole was never counted, and each subtest may be skipped by itself.
        let ran = if listed == 0 { Some(0) } else { listed.checked_sub(self.skipped) };
        let failing = (!self.failed && !self.open).then(Vec::new);
        Some(TestSummary::new(ran, failing))
    }
}

/// The number of `Ran 2 tests in 0.000s`.
fn ran(line: &str) -> Option<u64> {
    let (number, rest) = line.strip_prefix("Ran ")?.split_once(' ')?;
    let time = rest.strip_prefix("tests in ").or(rest.strip_prefix("test in "))?;
    time.strip_suffix('s')?.parse::<f64>().ok()?;
    number.parse().ok()
}

/// The number in `OK (skipped=1, expected failures=1)`.
fn skipped(line: &str) -> u64 {
    let inner = line.split_once('(').map_or("", |(_, inner)| inner);
    let mut parts = inner.trim_end_matches(')').split(", ");
    parts.find_map(|part| part.strip_prefix("skipped=")?.parse().ok()).unwrap_or(0)
}
