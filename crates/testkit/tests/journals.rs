//! Journals that a former version wrote fold to the state that it had: its last line is that state.
//!
//! The ten were picked from 1,500 simulated runs of commit 6d53226 so that every kind of event and of ending is among them.
//! They are never written anew; a format that cannot read them needs a new version of the journal.

use std::{error::Error, fs, path::Path};

use ralph_core::{event::Decision, run::RunState};
use serde_json::Value;

type TestResult = Result<(), Box<dyn Error>>;

#[test]
fn journals_of_a_former_version_fold_to_the_state_that_it_had() -> TestResult {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/journals");
    let mut findings = Vec::new();
    let mut read = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (state, expected) = fold(&fs::read_to_string(&path)?)?;
        lost(&name, &expected, &state, &mut findings);
        read += 1;
    }
    assert_eq!(read, 10);
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
    Ok(())
}

#[test]
fn an_event_that_is_not_applied_is_noticed() -> TestResult {
    let text = include_str!("journals/270.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    let cut = [&lines[..lines.len() - 2], &lines[lines.len() - 1..]].concat().join("\n");
    let (state, expected) = fold(&cut)?;
    let mut findings = Vec::new();
    lost("270", &expected, &state, &mut findings);
    assert!(!findings.is_empty());
    Ok(())
}

/// The state that today's code makes of a journal, and the one that was written below it.
fn fold(text: &str) -> Result<(Value, Value), Box<dyn Error>> {
    let (journal, last) = text.trim_end().rsplit_once('\n').ok_or("no journal")?;
    let decisions: Vec<Decision> =
        journal.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let state = RunState::fold(&decisions).ok_or("the first decision is no start")?;
    let expected: Value = serde_json::from_str(last)?;
    Ok((serde_json::to_value(state)?, expected["state"].clone()))
}

/// What is missing or different. A newer version may know more of a run, never less.
fn lost(at: &str, old: &Value, new: &Value, findings: &mut Vec<String>) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            for (key, value) in old {
                let at = format!("{at}.{key}");
                match new.get(key) {
                    Some(now) => lost(&at, value, now, findings),
                    None => findings.push(format!("{at}: {value} is gone")),
                }
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                lost(&format!("{at}[{index}]"), old, new, findings);
            }
        }
        _ if old == new => {}
        _ => findings.push(format!("{at}: {old} became {new}")),
    }
}
