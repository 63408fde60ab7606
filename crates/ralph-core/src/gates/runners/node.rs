//! `node --test`: counts at the end, after `ℹ` (spec) or `#` (tap). A failure has its file's whole path or no file at all,
//! so names are not compared.

use super::{Runner, RunnerReader, words::program};
use crate::gates::report::TestSummary;

pub(super) const RUNNER: Runner = Runner { is_called_by, reader: || Box::<Reader>::default() };

fn is_called_by(words: &[&str]) -> bool {
    words.first().is_some_and(|word| program(word) == "node") && words.contains(&"--test")
}

#[derive(Debug, Default)]
struct Reader {
    seen: bool,
    in_summary: bool,
    ran: u64,
    failed: u64,
    /// Files without a test, each of which counts as a test that passed.
    empty_files: u64,
    /// Tests were shown below the name that comes next.
    nested: bool,
}

impl RunnerReader for Reader {
    fn line(&mut self, line: &str) {
        let text = line.trim_start();
        if let Some((word, number)) = figure(line) {
            self.in_summary |= word == "tests";
            self.seen |= self.in_summary;
            if self.in_summary {
                self.add(word, number);
            }
            return;
        }
        self.in_summary = false;
        if let Some(name) = passed(text) {
            let is_nested = text.len() < line.len();
            self.empty_files += u64::from(!is_nested && !self.nested && is_script(name));
            self.nested = is_nested;
        } else if text.starts_with("not ok ") || text.starts_with("✖ ") {
            self.nested = text.len() < line.len();
        }
    }

    fn finish(self: Box<Self>) -> Option<TestSummary> {
        let ran = self.ran.saturating_sub(self.empty_files);
        let failing = (self.failed == 0).then(Vec::new);
        self.seen.then(|| TestSummary::new(Some(ran), failing))
    }
}

impl Reader {
    fn add(&mut self, word: &str, number: u64) {
        match word {
            "pass" | "todo" => self.ran += number,
            "fail" | "cancelled" => {
                self.ran += number;
                self.failed += number;
            }
            _ => {}
        }
    }
}

/// A line of the summary, such as `ℹ pass 3` or `# pass 3`.
fn figure(line: &str) -> Option<(&str, u64)> {
    let rest = line.strip_prefix("ℹ ").or(line.strip_prefix("# "))?;
    let (word, number) = rest.split_once(' ')?;
    Some((word, number.trim().parse().ok()?))
}

/// The name in `✔ adds (1.4ms)` or `ok 1 - adds`.
fn passed(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix("✔ ") {
        return rest.rsplit_once(" (").map(|(name, _)| name);
    }
    let (number, name) = text.strip_prefix("ok ")?.split_once(" - ")?;
    number.parse::<u64>().ok().map(|_| name)
}

fn is_script(name: &str) -> bool {
    let is_path = name.starts_with('/') || !name.contains(' ');
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    is_path && matches!(ending, Some("js" | "cjs" | "mjs" | "ts" | "cts" | "mts"))
}
