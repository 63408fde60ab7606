//! `vitest run`: sections of failed suites and tests, then counts.

use super::{
    Runner, RunnerReader,
    counts::{count, counts},
    names::Names,
    words::program,
};
use crate::gates::report::TestSummary;

pub(super) const RUNNER: Runner = Runner { is_called_by, reader: || Box::<Reader>::default() };

fn is_called_by(words: &[&str]) -> bool {
    words.first().is_some_and(|word| program(word) == "vitest")
}

#[derive(Debug, Default)]
struct Reader {
    ran: Option<u64>,
    failed: u64,
    names: Names,
    /// Failures announced by the headings of the sections.
    announced: u64,
    /// Errors outside tests, or tests that did not run: the names are not all there is.
    unsure: bool,
}

impl RunnerReader for Reader {
    fn line(&mut self, line: &str) {
        let text = line.trim();
        if let Some((section, number)) = heading(text) {
            self.announced += number;
            self.unsure |= section == "Unhandled Errors";
        } else if self.announced > 0
            && let Some(name) = line.strip_prefix(" FAIL  ")
        {
            self.names.push(name.trim().to_owned());
        } else if let Some(counts) = text.strip_prefix("Tests  ") {
            self.sum_up(counts);
        } else if let Some(counts) = text.strip_prefix("Test Files  ") {
            self.unsure |= !is_whole(counts);
        } else if text.starts_with("Errors  ") {
            self.unsure = true;
        } else if text.starts_with("No test files found, exiting with code") {
            self.ran.get_or_insert(0);
        }
    }

    fn finish(self: Box<Self>) -> Option<TestSummary> {
        let ran = self.ran?;
        let known =
            !self.unsure && self.names.len() == self.announced && self.failed <= self.announced;
        Some(TestSummary::new(Some(ran), self.names.all_if(known)))
    }
}

impl Reader {
    fn sum_up(&mut self, counts: &str) {
        let failed = count(counts, &['|', '('], "failed");
        self.failed += failed;
        *self.ran.get_or_insert(0) += failed + count(counts, &['|', '('], "passed");
        self.unsure |= counts != "no tests" && !is_whole(counts);
    }
}

/// Whether the parts of `2 failed | 1 passed (3)` add up to the total.
fn is_whole(text: &str) -> bool {
    let Some((parts, total)) = text.rsplit_once(" (") else {
        return false;
    };
    let sum: u64 = counts(parts, &['|']).map(|(number, _)| number).sum();
    total.strip_suffix(')').and_then(|total| total.parse().ok()) == Some(sum)
}

/// `⎯⎯⎯ Failed Tests 2 ⎯⎯⎯`
fn heading(text: &str) -> Option<(&str, u64)> {
    let inner = text.strip_prefix('⎯')?.trim_matches('⎯').trim();
    if inner == "Unhandled Errors" {
        return Some((inner, 0));
    }
    let (section, number) = inner.rsplit_once(' ')?;
    let is_failure = ["Failed Tests", "Failed Suites"].contains(&section);
    is_failure.then_some(())?;
    Some((section, number.parse().ok()?))
}
