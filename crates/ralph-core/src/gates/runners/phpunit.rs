//! `phpunit`: numbered lists of errors and failures, then counts. The progress says whether all tests ran.

use super::{Runner, RunnerReader, names::Names, words::program};
use crate::gates::report::TestSummary;

pub(super) const RUNNER: Runner = Runner { is_called_by, reader: || Box::<Reader>::default() };

fn is_called_by(words: &[&str]) -> bool {
    words.first().is_some_and(|word| ["phpunit", "pest"].contains(&program(word)))
}

#[derive(Debug, Default)]
struct Reader {
    ran: Option<u64>,
    failed: u64,
    names: Names,
    /// Whether the numbered list that is being read is one of failures.
    in_failures: bool,
    /// The last progress was `6 / 6 (100%)`.
    is_whole: bool,
}

impl RunnerReader for Reader {
    fn line(&mut self, line: &str) {
        if let Some(list) = heading(line) {
            self.in_failures = list.starts_with("error") || list.starts_with("failure");
        } else if line.ends_with("%)") && line.contains(" / ") {
            self.is_whole = line.ends_with("(100%)");
        } else if let Some(counts) = line.strip_prefix("Tests: ") {
            self.sum_up(counts);
        } else if let Some(counts) = line.strip_prefix("OK (") {
            let number = counts.split(' ').next().and_then(|number| number.parse().ok());
            *self.ran.get_or_insert(0) += number.unwrap_or(0);
            self.in_failures = false;
        } else if line == "No tests executed!" {
            self.ran.get_or_insert(0);
        } else if self.in_failures
            && let Some((number, name)) = line.split_once(") ")
            && number.parse::<u64>().is_ok()
        {
            self.names.push(name.to_owned());
        }
    }

    fn finish(self: Box<Self>) -> Option<TestSummary> {
        let ran = self.ran?;
        let known = self.failed == 0 || self.is_whole && self.names.len() == self.failed;
        Some(TestSummary::new(Some(ran), self.names.all_if(known)))
    }
}

impl Reader {
    /// `6, Assertions: 4, Errors: 1, Failures: 2, Skipped: 1.`
    fn sum_up(&mut self, counts: &str) {
        let mut parts = counts.trim_end_matches('.').split(", ");
        let Some(all) = parts.next().and_then(|number| number.parse::<u64>().ok()) else {
            return;
        };
        let rest: Vec<(&str, u64)> = parts
            .filter_map(|part| {
                let (word, number) = part.split_once(": ")?;
                Some((word, number.parse().ok()?))
            })
            .collect();
        let sum = |words: [&str; 2]| -> u64 {
            rest.iter().filter(|(word, _)| words.contains(word)).map(|(_, number)| number).sum()
        };
        self.failed += sum(["Errors", "Failures"]);
        *self.ran.get_or_insert(0) += all.saturating_sub(sum(["Skipped", "Incomplete"]));
        self.in_failures = false;
    }
}

/// What is listed after `There was 1 error:` or `There were 2 failures:`.
fn heading(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("There was ").or(line.strip_prefix("There were "))?;
    rest.strip_suffix(':')?.split_once(' ').map(|(_, list)| list)
}
