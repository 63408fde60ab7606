//! `jest`: blocks of failures below each file, then counts of suites and tests.

use super::{Runner, RunnerReader, counts::count, names::Names, words::program};
use crate::gates::report::TestSummary;

pub(super) const RUNNER: Runner = Runner { is_called_by, reader: || Box::<Reader>::default() };

fn is_called_by(words: &[&str]) -> bool {
    words.first().is_some_and(|word| program(word) == "jest")
}

#[derive(Debug, Default)]
struct Reader {
    ran: Option<u64>,
    failed_tests: u64,
    failed_suites: u64,
    /// It stopped before all suites had run.
    cut_short: bool,
    file: String,
    files: Names,
    /// Files that did not load.
    broken: Names,
    tests: Names,
}

impl RunnerReader for Reader {
    fn line(&mut self, line: &str) {
        if let Some(file) = header(line, "FAIL") {
            file.clone_into(&mut self.file);
            add(&mut self.files, file.to_owned());
        } else if header(line, "PASS").is_some() {
            self.file.clear();
        } else if let Some(counts) = line.strip_prefix("Test Suites: ") {
            self.failed_suites += count(counts, &[','], "failed");
            self.cut_short |= counts.contains(" of ");
        } else if let Some(counts) = line.strip_prefix("Tests: ") {
            let failed = count(counts, &[','], "failed");
            self.failed_tests += failed;
            *self.ran.get_or_insert(0) += failed + count(counts, &[','], "passed");
        } else if line.starts_with("No tests found, exiting with code") {
            self.ran.get_or_insert(0);
        } else if let Some(test) = line.strip_prefix("  ● ") {
            self.block(test);
        }
    }

    fn finish(self: Box<Self>) -> Option<TestSummary> {
        let ran = self.ran?;
        let mut names = self.tests;
        let known = !self.cut_short
            && names.len() == self.failed_tests
            && self.files.len() == self.failed_suites
            && (!self.broken.is_empty() || self.failed_tests > 0 || self.failed_suites == 0);
        let mut broken = self.broken;
        broken.drain().into_iter().for_each(|file| names.push(file));
        Some(TestSummary::new(Some(ran), names.all_if(known)))
    }
}

impl Reader {
    fn block(&mut self, test: &str) {
        match test {
            _ if self.file.is_empty() => {}
            "Console" => {}
            "Test suite failed to run" => add(&mut self.broken, self.file.clone()),
            _ => add(&mut self.tests, format!("{} › {test}", self.file)),
        }
    }
}

/// Failures are shown a second time at the end of long runs.
fn add(names: &mut Names, name: String) {
    if !names.contains(&name) {
        names.push(name);
    }
}

/// The file of `FAIL ./a.test.js (5.2 s)`; with colours there is a space before the word.
fn header<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(' ').unwrap_or(line).strip_prefix(word)?;
    let file = rest.strip_prefix(' ')?.trim_start();
    let file = file.split(" (").next()?;
    (!file.is_empty() && !file.contains(" > ")).then_some(file)
}
