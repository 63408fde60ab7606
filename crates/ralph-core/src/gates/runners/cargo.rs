//! `cargo test`: libtest's output, one summary per test binary.

use super::{Runner, RunnerReader, counts::count, names::Names, words::program};
use crate::gates::report::TestSummary;

pub(super) const RUNNER: Runner = Runner { is_called_by, reader: || Box::<Reader>::default() };

fn is_called_by(words: &[&str]) -> bool {
    matches!(subcommand(words), Some("test" | "t"))
}

/// The first word after `cargo` that is neither an option nor a toolchain.
pub(super) fn subcommand<'a>(words: &[&'a str]) -> Option<&'a str> {
    let (first, rest) = words.split_first()?;
    let mut rest = rest.iter().copied().filter(|word| !word.starts_with(['-', '+']));
    (program(first) == "cargo").then(|| rest.next()).flatten()
}

#[derive(Debug, Default)]
struct Reader {
    ran: Option<u64>,
    /// Names of the list that is being read.
    list: Vec<String>,
    /// Names of the binary that ended last, until cargo says which one it was.
    unplaced: Vec<String>,
    names: Names,
    in_list: bool,
    /// A binary began and has not summed up yet.
    in_binary: bool,
    /// Something failed that no list names.
    unsure: bool,
}

impl RunnerReader for Reader {
    fn line(&mut self, line: &str) {
        if line == "failures:" {
            self.list.clear();
            self.in_list = true;
        } else if let Some(result) = line.strip_prefix("test result: ") {
            self.sum_up(result);
        } else if let Some(place) = rerun(line) {
            self.place(place);
        } else if is_start(line) {
            // A binary that crashed leaves no result, so nobody knows what failed in it.
            self.unsure |= std::mem::replace(&mut self.in_binary, true);
            self.in_list = false;
        } else if line.starts_with("  Executable ") {
            self.ran.get_or_insert(0);
        } else if line.starts_with("error: could not compile `") {
            self.unsure = true;
        } else if self.in_list
            && let Some(name) = line.strip_prefix("    ")
        {
            self.list.push(without_line_number(name).to_owned());
        }
    }

    fn finish(mut self: Box<Self>) -> Option<TestSummary> {
        self.place("");
        let was_seen = self.ran.is_some() || self.in_binary || self.unsure;
        let sure = !self.unsure && !self.in_binary;
        was_seen.then(|| TestSummary::new(self.ran, self.names.all_if(sure)))
    }
}

impl Reader {
    fn sum_up(&mut self, result: &str) {
        let Some((_, result)) = result.split_once(". ") else {
            return;
        };
        let (passed, failed) = (count(result, &[';'], "passed"), count(result, &[';'], "failed"));
        *self.ran.get_or_insert(0) += passed + failed;
        self.place("");
        let list = std::mem::take(&mut self.list);
        self.unsure |= failed > 0 && list.len() as u64 != failed;
        if failed > 0 {
            self.unplaced = list;
        }
        self.in_binary = false;
        self.in_list = false;
    }

    /// Adds the waiting names, with the options that would run just their binary.
    fn place(&mut self, place: &str) {
        for name in self.unplaced.drain(..) {
            self.names.push(if place.is_empty() { name } else { format!("{name} ({place})") });
        }
    }
}

/// `running 3 tests`
fn is_start(line: &str) -> bool {
    let count = line.strip_prefix("running ").and_then(|rest| rest.split_once(' '));
    count.is_some_and(|(number, word)| {
        number.parse::<u64>().is_ok() && (word == "tests" || word == "test")
    })
}

/// What stands between the backticks of "error: test failed, to rerun pass `-p one --lib`".
fn rerun(line: &str) -> Option<&str> {
    let (_, rest) = line.strip_prefix("error: ")?.split_once("test failed, to rerun pass `")?;
    rest.strip_suffix('`')
}

/// Documentation tests are named by their line, which moves with every edit above it.
fn without_line_number(name: &str) -> &str {
    name.rsplit_once(" (line ")
        .filter(|(_, rest)| rest.ends_with(')'))
        .map_or(name, |(start, _)| start)
}
