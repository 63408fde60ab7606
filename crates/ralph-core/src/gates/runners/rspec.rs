//! `rspec`: counts at the end. It does not show that `--fail-fast` cut it short, so failing names are never known.

use super::{Runner, RunnerReader, counts::count, words::program};
use crate::gates::report::TestSummary;

pub(super) const RUNNER: Runner = Runner { is_called_by, reader: || Box::<Reader>::default() };

fn is_called_by(words: &[&str]) -> bool {
    words.first().is_some_and(|word| program(word) == "rspec")
}

#[derive(Debug, Default)]
struct Reader {
    ran: Option<u64>,
    failed: u64,
}

impl RunnerReader for Reader {
    fn line(&mut self, line: &str) {
        if is_total(line) {
            let sum = |words: [&str; 2]| words.map(|w| count(line, &[','], w)).iter().sum::<u64>();
            let errors =
                sum(["error occurred outside of examples", "errors occurred outside of examples"]);
            let examples = sum(["example", "examples"]);
            *self.ran.get_or_insert(0) += examples.saturating_sub(count(line, &[','], "pending"));
            self.failed += sum(["failure", "failures"]) + errors;
        }
    }

    fn finish(self: Box<Self>) -> Option<TestSummary> {
        let failing = (self.failed == 0).then(Vec::new);
        Some(TestSummary::new(Some(self.ran?), failing))
    }
}

/// `4 examples, 2 failures, 1 pending`
fn is_total(line: &str) -> bool {
    let mut words = line.split(' ');
    words.next().is_some_and(|word| word.parse::<u64>().is_ok())
        && matches!(words.next(), Some("example," | "examples,"))
        && words.nth(1).is_some_and(|word| word.starts_with("failure"))
}
