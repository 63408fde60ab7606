//! Remembers that the gates were green on a tree, so that the next run need not ask again. Losing it costs only time.
//!
//! Must never remember a red gate: what was missing then may be there now, and a red baseline excuses failures.

use std::{
    ffi::OsString,
    fs, io,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use ralph_core::{
    gates::report::{GateResults, GateSpec},
    ids::TreeId,
};
use ralph_text::fingerprint::digest;
use serde::{Deserialize, Serialize};

use crate::atomic_write::{self, Access};

/// Version of the file's format; another version is not read.
const FORMAT: u32 = 3;

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

/// Where gates run, as far as it can change what they say.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    pub workspace: &'a Path,
    /// The name of the sandbox.
    pub sandbox: &'a str,
    pub env: &'a [(OsString, OsString)],
}

/// Names one tree with one set of gate definitions in one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaselineKey(String);

impl BaselineKey {
    /// Any change of the tree, of a definition or of the surroundings gives another key.
    pub fn new(tree: &TreeId, gates: &[GateSpec], around: Surroundings<'_>) -> Self {
        let definitions = serde_json::to_vec(gates).unwrap_or_default();
        let place = around.workspace.as_os_str().as_bytes();
        let mut parts =
            vec![tree.as_str().as_bytes(), &definitions, place, around.sandbox.as_bytes()];
        let mut env: Vec<_> = around.env.iter().collect();
        env.sort();
        parts.extend(env.into_iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]));
        Self(digest(&parts))
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

    /// Remembers results if all of them are green.
    pub fn store(&self, key: &BaselineKey, results: &GateResults) -> io::Result<()> {
        if !results.gates.iter().all(|report| report.end.succeeded()) {
            return Ok(());
        }
        fs::create_dir_all(&self.folder)?;
        let entry = Entry { v: FORMAT, key: key.0.clone(), results: results.clone() };
        atomic_write::replace(&self.path(key), &serde_json::to_vec(&entry)?, Access::Private)
    }

    fn path(&self, key: &BaselineKey) -> PathBuf {
        self.folder.join(format!("{}.json", key.0))
    }
}

#[cfg(test)]
mod tests {
    use ralph_core::preflight::pin::pin;
    use ralph_core::{
        gates::report::{CommandEnd, GateReport, TestSummary},
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
            tests: TestSummary { ran: Some(2), failing: Some(Vec::new()), gist: String::new() },
            flaky: false,
            output: "boom".into(),
            log: "baseline/test.log".into(),
            changed: Vec::new(),
        };
        GateResults { gates: vec![report], ..GateResults::default() }
    }

    fn around(env: &[(OsString, OsString)]) -> Surroundings<'_> {
        Surroundings { workspace: Path::new("/here"), sandbox: "bubblewrap", env }
    }

    fn key(tree: &str, command: &str) -> BaselineKey {
        BaselineKey::new(&tree.into(), &gates(command), around(&[]))
    }

    #[test]
    fn results_come_back_for_the_same_tree_definitions_and_surroundings_only() -> io::Result<()> {
        let truth = tempfile::tempdir()?;
        let cache = BaselineCache::new(truth.path());
        let here = key("tree", "cargo test");
        assert_eq!(cache.load(&here), None);
        let mut stored = results(CommandEnd::Exited { code: 0 });
        cache.store(&here, &stored)?;
        stored.gates[0].log.clear();
        assert_eq!(cache.load(&here), Some(stored));
        let zone = [("TZ".into(), "UTC".into())];
        let of = |around| BaselineKey::new(&"tree".into(), &gates("cargo test"), around);
        for other in [
            key("other", "cargo test"),
            key("tree", "cargo test --all"),
            of(around(&zone)),
            of(Surroundings { sandbox: "off", ..around(&[]) }),
            of(Surroundings { workspace: Path::new("/elsewhere"), ..around(&[]) }),
        ] {
            assert_eq!(cache.load(&other), None);
        }
        Ok(())
    }

    #[test]
    fn a_damaged_file_is_ignored_and_replaced() -> io::Result<()> {
        let truth = tempfile::tempdir()?;
        let cache = BaselineCache::new(truth.path());
        let key = key("tree", "cargo test");
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
    fn nothing_but_green_is_remembered() -> io::Result<()> {
        let truth = tempfile::tempdir()?;
        let cache = BaselineCache::new(truth.path());
        let key = key("tree", "cargo test");
        for end in [CommandEnd::Interrupted, CommandEnd::Exited { code: 1 }, CommandEnd::TimedOut] {
            cache.store(&key, &results(end))?;
            assert_eq!(cache.load(&key), None);
        }
        Ok(())
    }
}
