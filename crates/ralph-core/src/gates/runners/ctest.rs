//! `ctest`: one line per test, a line of counts, then lists of what did not run and what failed.

use super::{Runner, RunnerReader, names::Names, words::program};
use crate::gates::report::TestSummary;

pub(super) const RUNNER: Runner = Runner { is_called_by, reader: || Box::<Reader>::default() };

fn is_called_by(words: &[&str]) -> bool {
    words.first().is_some_and(|word| program(word) == "ctest")
}

#[derive(Debug, Default, PartialEq, Eq)]
enum List {
    #[default]
    None,
    DidNotRun,
    Failed,
}

#[derive(Debug, Default)]
struct Reader {
    total: Option<u64>,
    failed: u64,
    skipped: u64,
    names: Names,
    list: List,
    /// Tests that are still to come by the numbers of the last test's line.
    missing: u64,
}

impl RunnerReader for Reader {
    fn line(&mut self, line: &str) {
        if let Some((failed, total)) = totals(line) {
            *self.total.get_or_insert(0) += total;
            self.failed += failed;
        } else if let Some((at, of)) = position(line) {
            self.missing = of.saturating_sub(at);
        } else if NOTHING.contains(&line) {
            self.total.get_or_insert(0);
        } else if line == "The following tests did not run:" {
            self.list = List::DidNotRun;
        } else if line == "The following tests FAILED:" {
            self.list = List::Failed;
        } else if let Some((name, why)) = item(line) {
            match self.list {
                List::None => {}
                List::DidNotRun => self.skipped += u64::from(why.starts_with("Skipped)")),
                List::Failed => self.names.push(name.to_owned()),
            }
        } else {
            self.list = List::None;
        }
    }

    fn finish(self: Box<Self>) -> Option<TestSummary> {
        let ran = self.total?.checked_sub(self.skipped);
        let known = self.missing == 0 && self.names.len() == self.failed;
        Some(TestSummary::new(ran, self.names.all_if(known)))
    }
}

const NOTHING: [&str; 2] = ["No tests were found!!!", "No test configuration file found!"];

/// The numbers of `33% tests passed, 4 tests failed out of 6`.
fn totals(line: &str) -> Option<(u64, u64)> {
    let (_, rest) = line.split_once("% tests passed, ")?;
    let (failed, total) = rest.split_once(" failed out of ")?;
    Some((failed.split(' ').next()?.parse().ok()?, total.parse().ok()?))
}

/// The numbers of `2/7 Test #2: adds ...   Passed`.
fn position(line: &str) -> Option<(u64, u64)> {
    let (at, rest) = line.trim_start().split_once('/')?;
    let (of, _) = rest.split_once(" Test ")?;
    Some((at.parse().ok()?, of.trim().parse().ok()?))
}

/// The parts of `1 - adds (Failed)`, which a tab begins.
fn item(line: &str) -> Option<(&str, &str)> {
    let (number, rest) = line.strip_prefix('\t')?.trim_start().split_once(" - ")?;
    number.parse::<u64>().ok()?;
    rest.rsplit_once(" (")
}
