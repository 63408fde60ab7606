//! `go test`: failing tests, then one line per package. Tests are counted only with `-v`.

use super::{Runner, RunnerReader, names::Names, words::program};
use crate::gates::report::TestSummary;

pub(super) const RUNNER: Runner = Runner { is_called_by, reader: || Box::<Reader>::default() };

fn is_called_by(words: &[&str]) -> bool {
    matches!(words, [first, "test", ..] if program(first) == "go")
}

#[derive(Debug, Default)]
struct Reader {
    /// Tests that passed or failed, as far as they were shown.
    shown: u64,
    /// Verbose: every test is shown.
    verbose: bool,
    /// Packages that reported.
    packages: u64,
    /// Packages that ran some test.
    tested: u64,
    /// Failing tests of the package that is being read.
    pending: Names,
    names: Names,
    unsure: bool,
}

impl RunnerReader for Reader {
    fn line(&mut self, line: &str) {
        let text = line.trim_start();
        if let Some(rest) = text.strip_prefix("--- FAIL: ") {
            self.shown += 1;
            self.pending.push(rest.rsplit_once(" (").map_or(rest, |(name, _)| name).to_owned());
        } else if text.starts_with("--- PASS: ") {
            self.shown += 1;
        } else if line.starts_with("=== RUN ") {
            self.verbose = true;
        } else if let Some(rest) = line.strip_prefix("ok  \t") {
            self.packages += 1;
            self.tested += u64::from(!rest.ends_with("[no tests to run]"));
            // A test that failed in a package that is fine was somebody's output.
            self.pending = Names::default();
        } else if line.starts_with("?   \t") && line.ends_with("[no test files]") {
            self.packages += 1;
        } else if let Some(rest) = line.strip_prefix("FAIL\t") {
            self.failed(rest);
        }
    }

    fn finish(self: Box<Self>) -> Option<TestSummary> {
        let ran = (self.verbose || self.tested == 0).then_some(self.shown);
        let failing = self.names.all_if(!self.unsure);
        (self.packages > 0).then_some(TestSummary::new(ran, failing))
    }
}

impl Reader {
    fn failed(&mut self, rest: &str) {
        self.packages += 1;
        let package = rest.split(['\t', ' ']).next().unwrap_or(rest);
        if let Some((_, why)) = rest.split_once(" [") {
            self.names.push(format!("{package} [{why}"));
            return;
        }
        self.tested += 1;
        self.unsure |= self.pending.is_empty();
        for name in self.pending.drain() {
            self.names.push(format!("{package} {name}"));
        }
    }
}
