//! `bats`: the plan `1..N` and then one line per test, or a line of counts on a terminal. The remark below a failure says
//! its file; without that, names are not compared.

use super::{Runner, RunnerReader, counts::count, names::Names, words::program};
use crate::gates::report::TestSummary;

pub(super) const RUNNER: Runner = Runner { is_called_by, reader: || Box::<Reader>::default() };

fn is_called_by(words: &[&str]) -> bool {
    words.first().is_some_and(|word| program(word) == "bats")
}

#[derive(Debug, Default)]
struct Reader {
    planned: Option<u64>,
    shown: u64,
    skipped: u64,
    failed: u64,
    names: Names,
    /// The failure whose file comes next.
    pending: Option<String>,
    /// The same format from somebody who says the version first or the plan last.
    is_other: bool,
}

impl RunnerReader for Reader {
    fn line(&mut self, line: &str) {
        if line.starts_with("TAP version ") {
            self.is_other = true;
        } else if let Some(number) = line.strip_prefix("1..") {
            *self.planned.get_or_insert(0) += number.parse().unwrap_or(0);
        } else if let Some(rest) = result(line, "ok ") {
            self.shown += 1;
            self.skipped += u64::from(rest.contains(" # skip"));
            self.is_other |= self.planned.is_none();
        } else if let Some(name) = result(line, "not ok ") {
            self.pending = Some(name.to_owned());
            self.shown += 1;
            self.failed += 1;
            self.is_other |= self.planned.is_none();
        } else if let Some(file) = test_file(line) {
            self.names.extend_with(self.pending.take().map(|name| format!("{file} {name}")));
        } else if is_total(line) {
            let sum = |words: [&str; 2]| words.map(|w| count(line, &[','], w)).iter().sum::<u64>();
            let tests = sum(["test", "tests"]);
            *self.planned.get_or_insert(0) += tests;
            self.shown += tests;
            self.failed += sum(["failure", "failures"]);
            self.skipped += count(line, &[','], "skipped");
        }
    }

    fn finish(self: Box<Self>) -> Option<TestSummary> {
        let planned = self.planned?;
        if self.is_other || self.shown != planned {
            return None;
        }
        let ran = planned.checked_sub(self.skipped);
        let known = self.names.len() == self.failed;
        Some(TestSummary::new(ran, self.names.all_if(known)))
    }
}

/// The file of `# (in test file test/a.bats, line 2)`, or of the last line of several frames.
fn test_file(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("# (in test file ").or(line.strip_prefix("#  in test file "))?;
    rest.rsplit_once(", line ").map(|(file, _)| file)
}

/// What follows the number of `ok 1 adds`. Without a name it is not from bats.
fn result<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let (number, name) = line.strip_prefix(word)?.split_once(' ')?;
    number.parse::<u64>().ok().map(|_| name)
}

/// `2 tests, 1 failure, 1 skipped`
fn is_total(line: &str) -> bool {
    let mut words = line.split(' ').skip(1);
    matches!(words.next(), Some("test," | "tests,"))
        && words.nth(1).is_some_and(|word| word.starts_with("failure"))
}
