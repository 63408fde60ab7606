//! Gradle's `test` tasks: counts where something failed, and tasks without any tests. It goes no further after a task
//! that failed, so failing names are never known.

use super::{Runner, RunnerReader, counts::count, words::program};
use crate::gates::report::TestSummary;

pub(super) const RUNNER: Runner = Runner { is_called_by, reader: || Box::<Reader>::default() };

fn is_called_by(words: &[&str]) -> bool {
    let is_test = |word: &&str| {
        ["test", "check", "build"].contains(&word.rsplit(':').next().unwrap_or_default())
    };
    words.first().is_some_and(|word| ["gradle", "gradlew"].contains(&program(word)))
        && words.iter().any(is_test)
}

#[derive(Debug, Default)]
struct Reader {
    ran: Option<u64>,
    failed: u64,
    /// Test tasks without a source, and others.
    empty: u64,
    others: u64,
}

impl RunnerReader for Reader {
    fn line(&mut self, line: &str) {
        if let Some(task) = line.strip_prefix("> Task :") {
            let (name, end) = task.split_once(' ').unwrap_or((task, ""));
            if name.rsplit(':').next() == Some("test") {
                let is_empty = end == "NO-SOURCE";
                self.empty += u64::from(is_empty);
                self.others += u64::from(!is_empty);
            }
        } else if line.contains(" completed, ") && line.contains(" failed") {
            let sum = |words: [&str; 2]| words.map(|w| count(line, &[','], w)).iter().sum::<u64>();
            let completed = sum(["test completed", "tests completed"]);
            self.failed += count(line, &[','], "failed");
            *self.ran.get_or_insert(0) += completed.saturating_sub(count(line, &[','], "skipped"));
        }
    }

    fn finish(self: Box<Self>) -> Option<TestSummary> {
        let none = (self.empty > 0 && self.others == 0).then_some(0);
        let ran = self.ran.or(none)?;
        Some(TestSummary::new(Some(ran), (self.failed == 0).then(Vec::new)))
    }
}
