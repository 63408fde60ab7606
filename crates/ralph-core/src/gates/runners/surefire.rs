//! Maven's Surefire and Failsafe: a line per failing test, then counts for each module. Skipped tests may be those that
//! come after a failure, and a module that is not built hides its own, so names are only known without either.

use super::{Runner, RunnerReader, names::Names, words::program};
use crate::gates::report::TestSummary;

pub(super) const RUNNER: Runner = Runner { is_called_by, reader: || Box::<Reader>::default() };

fn is_called_by(words: &[&str]) -> bool {
    let tests = ["test", "verify", "install", "integration-test"];
    words.first().is_some_and(|word| ["mvn", "mvnw"].contains(&program(word)))
        && words.iter().any(|word| tests.contains(word))
}

#[derive(Debug, Default)]
struct Reader {
    ran: Option<u64>,
    failed: u64,
    skipped: u64,
    names: Names,
    unsure: bool,
}

impl RunnerReader for Reader {
    fn line(&mut self, line: &str) {
        let Some(text) =
            ["[INFO] ", "[ERROR] ", "[WARNING] "].iter().find_map(|it| line.strip_prefix(it))
        else {
            return;
        };
        if let Some([run, failures, errors, skipped]) = totals(text) {
            *self.ran.get_or_insert(0) += run.saturating_sub(skipped);
            self.failed += failures + errors;
            self.skipped += skipped;
        } else if text == "No tests to run." {
            self.ran.get_or_insert(0);
        } else if text.contains("<<< FAILURE!") || text.contains("<<< ERROR!") {
            if let Some((name, _)) =
                text.split_once("Time elapsed: ").filter(|(name, _)| !name.contains("Tests run:"))
            {
                self.names.push(name.trim_end_matches(['-', ' ']).to_owned());
            }
        } else if text.ends_with(" SKIPPED") && text.contains(" ..") {
            self.unsure = true;
        }
    }

    fn finish(self: Box<Self>) -> Option<TestSummary> {
        let ran = self.ran?;
        let is_sure = !self.unsure && self.skipped == 0 && self.names.len() == self.failed;
        Some(TestSummary::new(Some(ran), self.names.all_if(self.failed == 0 || is_sure)))
    }
}

/// The numbers of `Tests run: 4, Failures: 1, Errors: 1, Skipped: 1`; a class's own line says more.
fn totals(text: &str) -> Option<[u64; 4]> {
    let mut numbers = text.strip_prefix("Tests run: ")?.split(", ").zip([
        "",
        "Failures: ",
        "Errors: ",
        "Skipped: ",
    ]);
    let mut next = || {
        let (part, word) = numbers.next()?;
        part.strip_prefix(word)?.parse().ok()
    };
    let all = [next()?, next()?, next()?, next()?];
    (text.matches(", ").count() == 3).then_some(all)
}
