//! `cargo nextest run`: one summary, followed by the tests that did not pass.

use super::{Runner, RunnerReader, cargo::subcommand, counts::count, names::Names};
use crate::gates::report::TestSummary;

pub(super) const RUNNER: Runner = Runner { is_called_by, reader: || Box::<Reader>::default() };

fn is_called_by(words: &[&str]) -> bool {
    subcommand(words) == Some("nextest") && words.contains(&"run")
}

#[derive(Debug, Default)]
struct Reader {
    summary: Option<Summary>,
    names: Names,
}

#[derive(Debug)]
struct Summary {
    ran: u64,
    not_passed: u64,
    /// Not cancelled before all tests had run.
    complete: bool,
}

impl RunnerReader for Reader {
    fn line(&mut self, line: &str) {
        let text = line.trim_start();
        if let Some(rest) = text.strip_prefix("Summary [")
            && let Some((_, counts)) = rest.split_once("] ")
        {
            self.summary = read(counts).or(self.summary.take());
            self.names = Names::default();
        } else if self.summary.is_some()
            && let Some(name) = failed_name(text)
        {
            self.names.push(name);
        }
    }

    fn finish(self: Box<Self>) -> Option<TestSummary> {
        let summary = self.summary?;
        let known = summary.complete && self.names.len() == summary.not_passed;
        Some(TestSummary::new(Some(summary.ran), self.names.all_if(known)))
    }
}

/// `6 tests run: 2 passed (1 flaky), 4 failed, 0 skipped`, or `1/6 tests run: …` after a cancellation.
fn read(counts: &str) -> Option<Summary> {
    let (total, counts) = counts.split_once(" run: ")?;
    let (number, _) = total.split_once(' ')?;
    let (ran, complete) = match number.split_once('/') {
        Some((ran, _)) => (ran, false),
        None => (number, true),
    };
    let ran = ran.parse().ok()?;
    let passed = count(counts, &[',', '('], "passed");
    Some(Summary { ran, not_passed: u64::saturating_sub(ran, passed), complete })
}

/// `FAIL [   0.010s] (1/6) sample tests::adds`, with `SIGABRT`, `TIMEOUT` or `TRY 2 FAIL` in front as well.
fn failed_name(text: &str) -> Option<String> {
    let (status, rest) = text.split_once(" [")?;
    let is_status = !status.is_empty()
        && status
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || " +-/".contains(c));
    let is_failure = !["PASS", "FLAKY", "SLOW", "LEAK", "SKIP"].iter().any(|word| {
        status.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    });
    let (_, rest) = rest.split_once("] ")?;
    let name = match rest.strip_prefix('(') {
        Some(numbered) => numbered.split_once(") ")?.1,
        None => rest,
    };
    (is_status && is_failure).then(|| name.trim().to_owned())
}
