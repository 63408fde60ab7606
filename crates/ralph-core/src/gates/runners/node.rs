//! `node --test`: counts at the end, after `ℹ` (spec) or `#` (tap). In TAP a failure has its file and its suites; in the
//! other format it has not, so names are not compared there.

use super::{Runner, RunnerReader, names::Names, words::program};
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
    /// The subtests that are open, from the outermost on.
    path: Vec<String>,
    /// The failure whose details are being read.
    failure: Option<Failure>,
    names: Names,
}

/// A failed test or suite of TAP.
#[derive(Debug, Default)]
struct Failure {
    name: String,
    file: String,
    is_suite: bool,
}

impl RunnerReader for Reader {
    fn line(&mut self, line: &str) {
        let text = line.trim_start();
        self.details(line, text);
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
        let known = self.names.len() == self.failed;
        self.seen.then(|| TestSummary::new(Some(ran), self.names.all_if(known)))
    }
}

impl Reader {
    /// Follows the subtests and the details of failures in TAP.
    fn details(&mut self, line: &str, text: &str) {
        let depth = (line.len() - text.len()) / 4;
        if let Some(name) = text.strip_prefix("# Subtest: ") {
            self.path.truncate(depth);
            self.path.push(name.to_owned());
        } else if text.starts_with("not ok ") && !text.to_ascii_lowercase().contains(" # todo") {
            let name = self.path.get(..=depth).unwrap_or(&self.path).join(" > ");
            self.failure = Some(Failure { name, ..Failure::default() });
        } else if text == "..." {
            if let Some(failure) =
                self.failure.take().filter(|it| !it.is_suite && !it.file.is_empty())
            {
                self.names.push(format!("{} {}", failure.file, failure.name));
            }
        } else if let Some(failure) = &mut self.failure {
            failure.is_suite |= text == "type: 'suite'" || text == "failureType: 'subtestsFailed'";
            if let Some(place) = text.strip_prefix("location: '") {
                place.split(':').next().unwrap_or_default().clone_into(&mut failure.file);
            }
        }
    }

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
