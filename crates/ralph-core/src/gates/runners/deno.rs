//! `deno test`: how many tests each file has, a list of failures, then counts.

use super::{Runner, RunnerReader, counts::count, names::Names, words::program};
use crate::gates::report::TestSummary;

pub(super) const RUNNER: Runner = Runner { is_called_by, reader: || Box::<Reader>::default() };

fn is_called_by(words: &[&str]) -> bool {
    words.first().is_some_and(|word| program(word) == "deno") && words.get(1) == Some(&"test")
}

#[derive(Debug, Default)]
struct Reader {
    announced: u64,
    /// Tests that ended in one way or another.
    ended: u64,
    ran: Option<u64>,
    failed: u64,
    names: Names,
    /// Failing tests of the list; one has a line for each of its steps.
    listed: Names,
    in_list: bool,
}

impl RunnerReader for Reader {
    fn line(&mut self, line: &str) {
        if let Some(number) = announced(line) {
            self.announced += number;
        } else if line.trim() == "FAILURES" {
            self.in_list = true;
        } else if let Some(counts) = totals(line) {
            let of = |word: &str| count(counts, &['|', '('], word);
            self.failed += of("failed");
            *self.ran.get_or_insert(0) += of("passed") + of("failed");
            self.ended += of("passed") + of("failed") + of("ignored");
            self.in_list = false;
        } else if line == "error: No test modules found" {
            self.ran.get_or_insert(0);
        } else if self.in_list
            && let Some((name, place)) = line.rsplit_once(" => ")
        {
            let file = place.split(':').next().unwrap_or(place);
            let test = format!("{file} {}", name.split(" ... ").next().unwrap_or(name));
            if !self.listed.contains(&test) {
                self.listed.push(test);
            }
            self.names.push(format!("{file} {name}"));
        }
    }

    fn finish(self: Box<Self>) -> Option<TestSummary> {
        let ran = self.ran?;
        let known = self.ended == self.announced && self.listed.len() == self.failed;
        Some(TestSummary::new(Some(ran), self.names.all_if(known)))
    }
}

/// The number of `running 4 tests from ./a_test.js`.
fn announced(line: &str) -> Option<u64> {
    let (number, rest) = line.strip_prefix("running ")?.split_once(' ')?;
    let is_file = rest.starts_with("tests from ") || rest.starts_with("test from ");
    is_file.then(|| number.parse().ok()).flatten()
}

/// The counts of `FAILED | 1 passed | 2 failed (1 step) | 1 ignored (54ms)`.
fn totals(line: &str) -> Option<&str> {
    let counts = line.strip_prefix("ok | ").or(line.strip_prefix("FAILED | "))?;
    counts.contains(" passed").then_some(counts)
}
