//! `dotnet test`: a line per failing test, then counts for each assembly.

use super::{Runner, RunnerReader, names::Names, words::program};
use crate::gates::report::TestSummary;

pub(super) const RUNNER: Runner = Runner { is_called_by, reader: || Box::<Reader>::default() };

fn is_called_by(words: &[&str]) -> bool {
    words.first().is_some_and(|word| program(word) == "dotnet") && words.get(1) == Some(&"test")
}

#[derive(Debug, Default)]
struct Reader {
    ran: Option<u64>,
    failed: u64,
    names: Names,
    /// It did not build, or its host crashed.
    unsure: bool,
}

impl RunnerReader for Reader {
    fn line(&mut self, line: &str) {
        if let Some(counts) = totals(line) {
            let of = |word: &str| number(counts, word);
            self.failed += of("Failed");
            *self.ran.get_or_insert(0) += of("Failed") + of("Passed");
        } else if line.starts_with("No test is available in ") {
            self.ran.get_or_insert(0);
        } else if let Some(name) =
            line.strip_prefix("  Failed ").and_then(|it| it.rsplit_once(" ["))
        {
            self.names.push(name.0.to_owned());
        } else if line.contains("Test Run Aborted") || line.contains(": error ") {
            self.unsure = true;
        }
    }

    fn finish(self: Box<Self>) -> Option<TestSummary> {
        let ran = self.ran?;
        let known = !self.unsure && self.names.len() == self.failed;
        Some(TestSummary::new(Some(ran), self.names.all_if(known)))
    }
}

/// The counts of `Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 9 ms - a.dll`.
fn totals(line: &str) -> Option<&str> {
    let (word, counts) = line.split_once("!  - ")?;
    ["Passed", "Failed", "Skipped"].contains(&word.trim()).then_some(counts)
}

fn number(counts: &str, word: &str) -> u64 {
    let mut parts = counts.split(", ").filter_map(|part| part.split_once(':'));
    let found = parts.find(|(name, _)| name.trim() == word);
    found.and_then(|(_, number)| number.trim().parse().ok()).unwrap_or(0)
}
