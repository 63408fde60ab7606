//! `bun test`: a line per test below its file, then counts.

use super::{Runner, RunnerReader, names::Names, words::program};
use crate::gates::report::TestSummary;

pub(super) const RUNNER: Runner = Runner { is_called_by, reader: || Box::<Reader>::default() };

fn is_called_by(words: &[&str]) -> bool {
    words.first().is_some_and(|word| program(word) == "bun") && words.get(1) == Some(&"test")
}

#[derive(Debug, Default)]
struct Reader {
    /// Its first line was there.
    seen: bool,
    ran: Option<u64>,
    failed: u64,
    skipped: u64,
    names: Names,
    file: String,
    /// It stopped at a failure, or a file did not load.
    unsure: bool,
}

impl RunnerReader for Reader {
    fn line(&mut self, line: &str) {
        self.seen |= line.starts_with("bun test v");
        if !self.seen {
            return;
        }
        if let Some(name) = line.strip_prefix("(fail) ") {
            let name = name.rsplit_once(" [").map_or(name, |(name, _)| name);
            self.names.push(format!("{} > {name}", self.file));
        } else if let Some((number, word)) = figure(line) {
            match word {
                "fail" => self.failed += number,
                "skip" | "todo" => self.skipped += number,
                "error" | "errors" => self.unsure = true,
                _ => {}
            }
        } else if let Some(number) = ran(line) {
            *self.ran.get_or_insert(0) += number;
        } else if line.starts_with("Bailed out after ") {
            self.unsure = true;
        } else if line == "No tests found!" {
            self.ran.get_or_insert(0);
        } else if let Some(file) = line.strip_suffix(':').filter(|file| !file.contains(' ')) {
            file.clone_into(&mut self.file);
        }
    }

    fn finish(self: Box<Self>) -> Option<TestSummary> {
        let ran = self.ran?.saturating_sub(self.skipped);
        let known = !self.unsure && self.names.len() == self.failed;
        Some(TestSummary::new(Some(ran), self.names.all_if(known)))
    }
}

/// A line of the counts, such as ` 2 fail`.
fn figure(line: &str) -> Option<(u64, &str)> {
    let (number, word) = line.strip_prefix(' ')?.split_once(' ')?;
    Some((number.parse().ok()?, word))
}

/// The number of `Ran 4 tests across 1 file. [16.00ms]`.
fn ran(line: &str) -> Option<u64> {
    let (number, rest) = line.strip_prefix("Ran ")?.split_once(" test")?;
    rest.contains(" across ").then(|| number.parse().ok()).flatten()
}
