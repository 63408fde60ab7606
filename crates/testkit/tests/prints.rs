//! Fingerprints of what real runners printed: the same failure is known again, another one is never taken for it.
//!
//! `just prints-corpus` records the outputs anew.

use std::{collections::BTreeSet, error::Error, fs, path::PathBuf};

use ralph_core::{
    gates::{
        excerpt::Excerpt,
        report::{CommandEnd, GateReport},
        runners::TestReader,
    },
    settings::GatesSettings,
    time::Millis,
};
use ralph_text::fingerprint::{FailurePart, fingerprint, normalise};
use serde_json::Value;

type Outcome = Result<(), Box<dyn Error>>;

/// Pieces in which a process's output arrives.
const CHUNK: usize = 4096;

/// Two recorded outputs, and whether they show the same failure.
struct Pair {
    name: String,
    runner: String,
    is_same: bool,
    one: GateReport,
    other: GateReport,
}

impl Pair {
    fn matches(&self) -> bool {
        print(&self.one) == print(&self.other)
    }

    /// What makes the two prints differ.
    fn difference(&self) -> String {
        let lines = |report: &GateReport| -> BTreeSet<String> {
            normalise(&report.output).lines().map(str::to_owned).collect()
        };
        let (one, other) = (lines(&self.one), lines(&self.other));
        let mut text = vec![format!("{}:", self.name)];
        if self.one.tests.failing != self.other.tests.failing {
            text.extend([&self.one, &self.other].map(|one| format!("  {:?}", one.tests.failing)));
        }
        text.extend(one.difference(&other).map(|line| format!("  - {line}")));
        text.extend(other.difference(&one).map(|line| format!("  + {line}")));
        text.join("\n")
    }
}

/// What ralph keeps of a gate that printed this.
fn report(gate: &str, output: &[u8]) -> GateReport {
    let mut tests = TestReader::default();
    let mut excerpt = Excerpt::new(GatesSettings::default().output_truncate_chars);
    for chunk in output.chunks(CHUNK) {
        tests.feed(chunk);
        excerpt.feed(chunk);
    }
    GateReport {
        gate: gate.to_owned(),
        end: CommandEnd::Exited { code: 1 },
        took: Millis(1),
        tests: tests.finish(),
        flaky: false,
        output: excerpt.finish("gates/test.log"),
        log: "gates/test.log".to_owned(),
        changed: Vec::new(),
    }
}

fn print(report: &GateReport) -> String {
    fingerprint(&[FailurePart::from(report)])
}

fn corpus() -> Result<Vec<Pair>, Box<dyn Error>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/prints");
    let entries: Vec<Value> = serde_json::from_slice(&fs::read(folder.join("pairs.json"))?)?;
    let text = |entry: &Value, key: &str| entry[key].as_str().map(str::to_owned).ok_or("no text");
    let mut pairs = Vec::new();
    for entry in &entries {
        let (runner, name) = (text(entry, "runner")?, text(entry, "pair")?);
        let gate = text(entry, "command")?;
        let read = |side| fs::read(folder.join(&runner).join(format!("{name}.{side}.txt")));
        pairs.push(Pair {
            is_same: entry["same"].as_bool().ok_or("neither same nor other")?,
            one: report(&gate, &read("a")?),
            other: report(&gate, &read("b")?),
            name: format!("{runner}/{name}"),
            runner,
        });
    }
    Ok(pairs)
}

#[test]
fn the_corpus_is_large_and_mixed() -> Outcome {
    let pairs = corpus()?;
    let runners: BTreeSet<&str> = pairs.iter().map(|pair| pair.runner.as_str()).collect();
    let others = pairs.iter().filter(|pair| !pair.is_same).count();
    assert!(pairs.len() >= 60 && runners.len() >= 10, "{} pairs of {runners:?}", pairs.len());
    assert!(others * 3 >= pairs.len(), "{others} of {} pairs are other failures", pairs.len());
    Ok(())
}

#[test]
fn the_same_failure_is_known_again() -> Outcome {
    let mut pairs = corpus()?;
    pairs.retain(|pair| pair.is_same);
    let missed: Vec<_> =
        pairs.iter().filter(|pair| !pair.matches()).map(Pair::difference).collect();
    let (all, known) = (pairs.len(), pairs.len() - missed.len());
    println!("same failure, same fingerprint: {known} of {all}\n{}", missed.join("\n"));
    assert!(known * 100 >= all * 98, "only {known} of {all}:\n{}", missed.join("\n"));
    Ok(())
}

#[test]
fn another_failure_is_never_taken_for_the_same() -> Outcome {
    let mut pairs = corpus()?;
    pairs.retain(|pair| !pair.is_same);
    let mixed: Vec<_> =
        pairs.iter().filter(|pair| pair.matches()).map(|pair| pair.name.as_str()).collect();
    println!(
        "another failure, another fingerprint: {} of {}",
        pairs.len() - mixed.len(),
        pairs.len()
    );
    assert_eq!(mixed, [""; 0], "taken for the same");
    Ok(())
}
