//! Remembers what the gates gave on a tree, so that the next run need not ask again. Losing it costs only time.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use ralph_core::{
    fingerprint::digest,
    gates::report::{CommandEnd, GateResults, GateSpec},
    ids::TreeId,
};
use serde::{Deserialize, Serialize};

/// Version of the file's format; another version is not read.
const FORMAT: u32 = 2;

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    v: u32,
    key: String,
    results: GateResults,
}

/// The remembered baselines of one repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaselineCache {
    folder: PathBuf,
}

/// Names one tree with one set of gate definitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaselineKey(String);

impl BaselineKey {
    /// Any change of the tree or of a definition gives another key.
    pub fn new(tree: &TreeId, gates: &[GateSpec]) -> Self {
        let definitions = serde_json::to_vec(gates).unwrap_or_default();
        Self(digest(&[tree.as_str().as_bytes(), &definitions]))
    }
}

impl BaselineCache {
    /// `truth` is the folder of the repository's truth.
    pub fn new(truth: &Path) -> Self {
        Self { folder: truth.join("baseline") }
    }

    /// What is remembered, if it can be read. Its logs belong to another run, so none are named.
    pub fn load(&self, key: &BaselineKey) -> Option<GateResults> {
        let entry: Entry = serde_json::from_slice(&fs::read(self.path(key)).ok()?).ok()?;
        if entry.v != FORMAT || entry.key != key.0 {
            return None;
        }
        let mut results = entry.results;
        results.gates.iter_mut().for_each(|report| report.log.clear());
        Some(results)
    }

    /// Remembers complete results; interrupted ones say nothing about the tree.
    pub fn store(&self, key: &BaselineKey, results: &GateResults) -> io::Result<()> {
        if results.gates.iter().any(|report| report.end == CommandEnd::Interrupted) {
            return Ok(());
        }
        fs::create_dir_all(&self.folder)?;
        let entry = Entry { v: FORMAT, key: key.0.clone(), results: results.clone() };
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&serde_json::to_vec(&entry)?)?;
        file.as_file().sync_all()?;
        file.persist(self.path(key))?;
        Ok(())
    }

    fn path(&self, key: &BaselineKey) -> PathBuf {
        self.folder.join(format!("{}.json", key.0))
    }
}

#[cfg(test)]
mod tests {
    use ralph_core::{
        gates::{
            pin::pin,
            report::{GateReport, TestSummary},
        },
        plan::Plan,
        settings::Settings,
        time::Millis,
    };

    use super::*;

    fn gates(command: &str) -> Vec<GateSpec> {
        let plan = Plan { verify_commands: vec![command.into()], ..Plan::default() };
        pin(&Settings::default(), &plan).unwrap_or_default()
    }

    fn results(end: CommandEnd) -> GateResults {
        let report = GateReport {
            gate: "test".into(),
            end,
            took: Millis(7),
            tests: TestSummary {
                ran: Some(2),
                failing: Some(vec!["a".into()]),
                gist: String::new(),
            },
            flaky: false,
            output: "boom".into(),
            log: "baseline/test.log".into(),
            changed: Vec::new(),
        };
        GateResults { gates: vec![report], ..GateResults::default() }
    }

    #[test]
    fn results_come_back_for_the_same_tree_and_definitions_only() -> io::Result<()> {
        let truth = tempfile::tempdir()?;
        let cache = BaselineCache::new(truth.path());
        let key = BaselineKey::new(&"tree".into(), &gates("cargo test"));
        assert_eq!(cache.load(&key), None);
        let mut stored = results(CommandEnd::Exited { code: 1 });
        cache.store(&key, &stored)?;
        stored.gates[0].log.clear();
        assert_eq!(cache.load(&key), Some(stored));
        for other in [
            BaselineKey::new(&"other".into(), &gates("cargo test")),
            BaselineKey::new(&"tree".into(), &gates("cargo test --all")),
        ] {
            assert_eq!(cache.load(&other), None);
        }
        Ok(())
    }

    #[test]
    fn a_damaged_file_is_ignored_and_replaced() -> io::Result<()> {
        let truth = tempfile::tempdir()?;
        let cache = BaselineCache::new(truth.path());
        let key = BaselineKey::new(&"tree".into(), &gates("cargo test"));
        let good = results(CommandEnd::Exited { code: 0 });
        cache.store(&key, &good)?;
        let whole = fs::read(cache.path(&key))?;
        for damaged in [&b""[..], b"{", b"\xff\xff", &whole[..whole.len() / 2], b"{\"v\":2}"] {
            fs::write(cache.path(&key), damaged)?;
            assert_eq!(cache.load(&key), None, "{}", String::from_utf8_lossy(damaged));
        }
        cache.store(&key, &good)?;
        assert!(cache.load(&key).is_some());
        Ok(())
    }

    #[test]
    fn interrupted_results_are_not_remembered() -> io::Result<()> {
        let truth = tempfile::tempdir()?;
        let cache = BaselineCache::new(truth.path());
        let key = BaselineKey::new(&"tree".into(), &gates("cargo test"));
        cache.store(&key, &results(CommandEnd::Interrupted))?;
        assert_eq!(cache.load(&key), None);
        Ok(())
    }
}
