//! `pytest`: the short summary of failures and the last line's counts.

use super::{
    Runner, RunnerReader,
    counts::{count, counts},
    names::Names,
    words::program,
};
use crate::gates::report::TestSummary;

pub(super) const RUNNER: Runner = Runner { is_called_by, reader: || Box::<Reader>::default() };

fn is_called_by(words: &[&str]) -> bool {
    words.first().is_some_and(|word| ["pytest", "py.test"].contains(&program(word)))
}

/// Words of the last line that stand for a test that really ran.
const RAN: [&str; 6] = ["passed", "failed", "xfailed", "xpassed", "error", "errors"];

#[derive(Debug, Default)]
struct Reader {
    ran: Option<u64>,
    not_passed: u64,
    names: Names,
    in_summary: bool,
    /// It stopped before running what it had collected.
    interrupted: bool,
}

impl RunnerReader for Reader {
    fn line(&mut self, line: &str) {
        let text = line.trim_matches(['=', ' ']);
        if text == "short test summary info" && line.starts_with('=') {
            self.in_summary = true;
        } else if line.starts_with("!!!") && line.contains("Interrupted:") {
            self.interrupted = true;
        } else if let Some(summary) = last_line(text) {
            self.sum_up(summary);
        } else if self.in_summary
            && let Some(rest) = line.strip_prefix("FAILED ").or(line.strip_prefix("ERROR "))
        {
            self.names.push(node_id(rest).to_owned());
        }
    }

    fn finish(self: Box<Self>) -> Option<TestSummary> {
        let ran = self.ran?;
        let known = !self.interrupted && self.names.len() == self.not_passed;
        Some(TestSummary::new(Some(ran), self.names.all_if(known)))
    }
}

impl Reader {
    fn sum_up(&mut self, summary: &str) {
        let ran: u64 =
            counts(summary, &[',']).filter(|(_, w)| RAN.contains(w)).map(|(n, _)| n).sum();
        let words = ["failed", "error", "errors"];
        self.not_passed += words.map(|word| count(summary, &[','], word)).iter().sum::<u64>();
        *self.ran.get_or_insert(0) += ran;
        self.in_summary = false;
    }
}

/// The counts of `3 failed, 2 passed in 0.07s` or `no tests ran in 0.01s`.
fn last_line(text: &str) -> Option<&str> {
    let (summary, time) = text.rsplit_once(" in ")?;
    let seconds = time.split(' ').next()?.strip_suffix('s')?;
    seconds.parse::<f64>().ok()?;
    let is_summary = summary == "no tests ran"
        || summary.split(", ").all(|part| counts(part, &[',']).next().is_some());
    is_summary.then_some(summary)
}

/// The name up to ` - <message>`; parameters in brackets may hold the same characters.
fn node_id(text: &str) -> &str {
    let mut depth = 0_i32;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            ' ' if depth <= 0 && text.get(at..).is_some_and(|rest| rest.starts_with(" - ")) => {
                return text.get(..at).unwrap_or(text);
            }
            _ => {}
        }
    }
    text
}
