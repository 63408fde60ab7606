//! Python's `unittest`, Django's tests included: a heading for each failure, counts at the end. It does not show that
//! `--failfast` cut it short, so failing names are known only where more than one test failed.

use super::{Runner, RunnerReader, names::Names, words::program};
use crate::gates::report::TestSummary;

pub(super) const RUNNER: Runner = Runner { is_called_by, reader: || Box::<Reader>::default() };

fn is_called_by(words: &[&str]) -> bool {
    words.first().is_some_and(|word| program(word) == "unittest")
}

#[derive(Debug, Default)]
struct Reader {
    ran: Option<u64>,
    skipped: u64,
    failed: u64,
    names: Names,
    /// Failing tests, each once, without what was to set them up or to clean up after them.
    tests: Names,
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
            let numbers = ["failures=", "errors="].map(|word| number_after(line, word));
            self.failed +=
                u64::from(line.starts_with("FAILED")) * numbers.iter().sum::<u64>().max(1);
            self.skipped += number_after(line, "skipped=");
        } else if let Some(name) = line.strip_prefix("FAIL: ").or(line.strip_prefix("ERROR: ")) {
            self.names.push(name.to_owned());
            let test = name.split(") ").next().unwrap_or(name);
            if name.starts_with("test") && !self.tests.contains(test) {
                self.tests.push(test.to_owned());
            }
        }
    }

    fn finish(self: Box<Self>) -> Option<TestSummary> {
        let listed = self.ran?;
        // A class that is skipped as a whole was never counted, and each subtest may be skipped by itself.
        let ran = if listed == 0 { Some(0) } else { listed.checked_sub(self.skipped) };
        let is_whole = self.names.len() == self.failed && self.tests.len() > 1;
        let known = !self.open && (self.failed == 0 || is_whole);
        let failing = if self.failed == 0 { Names::default() } else { self.names };
        Some(TestSummary::new(ran, failing.all_if(known)))
    }
}

/// The number of `Ran 2 tests in 0.000s`.
fn ran(line: &str) -> Option<u64> {
    let (number, rest) = line.strip_prefix("Ran ")?.split_once(' ')?;
    let time = rest.strip_prefix("tests in ").or(rest.strip_prefix("test in "))?;
    time.strip_suffix('s')?.parse::<f64>().ok()?;
    number.parse().ok()
}

/// A number in `OK (skipped=1, expected failures=1)`.
fn number_after(line: &str, word: &str) -> u64 {
    let inner = line.split_once('(').map_or("", |(_, inner)| inner);
    let mut parts = inner.trim_end_matches(')').split(", ");
    parts.find_map(|part| part.strip_prefix(word)?.parse().ok()).unwrap_or(0)
}
