//! What is left when a run has ended: everything that must not depend on whether it was killed in between.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    os::unix::ffi::OsStrExt as _,
    path::Path,
    process::Output,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::test_run::TestRun;

/// Files that belong to the user or that ralph gives back to the user.
const FILES: &[&str] =
    &["README.md", "notes.txt", "ignored/cache", "src/staged.txt", "src/new.txt", "src/main.txt"];
/// How long what was started may live on after ralph; far longer than it takes on any machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A repository after a run.
#[derive(Debug, PartialEq, Eq)]
struct Aftermath {
    code: Option<i32>,
    head: String,
    /// Each task as the plan file has it, and what proves it.
    tasks: Vec<String>,
    evidence: Vec<String>,
    /// Tree and message of each commit on each branch, from the first commit on; no times, no run.
    branches: BTreeMap<String, Vec<String>>,
    tags: String,
    /// What git calls changed, staged or untracked outside `.ralph/`.
    status: Vec<String>,
    files: Vec<Option<String>>,
    ralphs_files: BTreeSet<String>,
    worktrees: usize,
    locks: Vec<String>,
    fsck: String,
    alive: Vec<String>,
}

impl Aftermath {
    /// Looks at everything. Waits a little for processes that are about to end.
    fn of(run: &TestRun, output: &Output) -> io::Result<Self> {
        let lines = |text: String| text.lines().map(str::to_owned).collect::<Vec<_>>();
        Ok(Self {
            code: output.status.code(),
            head: run.git(&["symbolic-ref", "HEAD"])?,
            tasks: tasks(run).iter().map(Value::to_string).collect(),
            evidence: evidence(run)?,
            branches: branches(run)?,
            tags: run.git(&["for-each-ref", "--format=%(refname) %(tree)", "refs/tags"])?,
            status: lines(run.git(&["status", "--porcelain", "--", ".", ":!.ralph"])?),
            files: FILES
                .iter()
                .map(|name| fs::read_to_string(run.work().join(name)).ok())
                .collect(),
            ralphs_files: names(&run.work().join(".ralph"))?
                .iter()
                .map(|name| untimed(name))
                .collect(),
            worktrees: run.git(&["worktree", "list"])?.lines().count(),
            locks: locks(&run.work().join(".git"))?,
            fsck: run.git(&["fsck", "--no-dangling", "--no-progress"])?,
            alive: alive(&run.path(""))?,
        })
    }

    /// The end of an undisturbed run must itself be in order.
    fn assert_orderly(&self, story: &str) {
        assert!(matches!(self.code, Some(0 | 3)), "{story}");
        assert_eq!(
            (&self.locks, &self.alive, self.worktrees),
            (&Vec::new(), &Vec::new(), 1),
            "{story}"
        );
        assert_eq!(self.fsck, "", "{story}");
    }

    /// What differs in another end, line by line.
    fn against(&self, found: &Self) -> String {
        let (ours, theirs) = (format!("{self:#?}"), format!("{found:#?}"));
        let wanted: Vec<_> = ours.lines().collect();
        let found: Vec<_> = theirs.lines().collect();
        let missing =
            wanted.iter().filter(|line| !found.contains(line)).map(|line| format!("- {line}"));
        let extra =
            found.iter().filter(|line| !wanted.contains(line)).map(|line| format!("+ {line}"));
        missing.chain(extra).collect::<Vec<_>>().join("\n")
    }
}

/// How a scenario ends when nobody disturbs it.
pub struct Expected {
    aftermath: Aftermath,
    kept: BTreeSet<String>,
}

impl Expected {
    /// Takes the end of an undisturbed run, which must itself be in order, as what is expected.
    pub fn of(run: &TestRun, output: &Output) -> io::Result<Self> {
        let aftermath = Aftermath::of(run, output)?;
        aftermath.assert_orderly(&String::from_utf8_lossy(&output.stderr));
        Ok(Self { aftermath, kept: kept(run)? })
    }

    /// How a run that was killed ends otherwise, if it does.
    pub fn differs(&self, run: &TestRun, output: &Output) -> io::Result<Option<String>> {
        let found = Aftermath::of(run, output)?;
        let kept = kept(run)?;
        let lost: Vec<_> = self.kept.difference(&kept).collect();
        let is_same = found == self.aftermath && lost.is_empty();
        let difference =
            || format!("--- differs\n{}\nlost {lost:?}", self.aftermath.against(&found));
        Ok((!is_same).then(difference))
    }
}

/// Trees of rejected attempts, which must never be fewer than without the kill.
fn kept(run: &TestRun) -> io::Result<BTreeSet<String>> {
    let refs = run.git(&["for-each-ref", "--format=%(tree) %(refname)", "refs/ralph"])?;
    let attempts = refs.lines().filter_map(|line| line.split_once(' '));
    Ok(attempts.filter(|(_, name)| name.contains("/T-")).map(|(tree, _)| tree.to_owned()).collect())
}

/// The tasks of the plan file; the time in a kept branch's name does not count.
fn tasks(run: &TestRun) -> Vec<Value> {
    let mut tasks = run.plan()["tasks"].as_array().cloned().unwrap_or_default();
    for task in &mut tasks {
        if let Some(branch) = task["branch"].as_str().map(untimed) {
            task["branch"] = branch.into();
        }
    }
    tasks
}

/// What the journal says proves each task. Logs are named by the iteration that wrote them, so they count as well.
fn evidence(run: &TestRun) -> io::Result<Vec<String>> {
    let proof = |task: &Value| {
        let (evidence, labels) = run.evidence(task["id"].as_str().unwrap_or_default())?;
        Ok(format!("{} {} {}", task["id"], Value::from(evidence), Value::from(labels)))
    };
    tasks(run).iter().map(proof).collect()
}

/// Every branch with its history; the time in a kept branch's name does not count.
fn branches(run: &TestRun) -> io::Result<BTreeMap<String, Vec<String>>> {
    let mut found = BTreeMap::new();
    for name in run.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads"])?.lines() {
        let log = run.git(&["log", "--reverse", "--format=%T%n%B%x00", name, "--"])?;
        // The state that a given-up task's commit carries has a time too.
        let is_telling = |line: &&str| {
            !line.starts_with("Ralph-Run:")
                && !line.starts_with("timestamp: ")
                && !line.contains("run 2")
        };
        let commits = log
            .split('\0')
            .map(|commit| commit.lines().filter(is_telling).collect::<Vec<_>>().join("\n"))
            .map(|commit| commit.trim().to_owned())
            .filter(|commit| !commit.is_empty())
            .collect();
        found.insert(untimed(name), commits);
    }
    Ok(found)
}

fn untimed(name: &str) -> String {
    let is_time = |part: &str| part.len() >= 6 && part.chars().all(|c| c.is_ascii_digit());
    let parts = name.split('-').map(|part| if is_time(part) { "#" } else { part });
    parts.collect::<Vec<_>>().join("-")
}

fn names(folder: &Path) -> io::Result<BTreeSet<String>> {
    let entries = fs::read_dir(folder)?;
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// Lock files below git's folder; ralph's own lock has no such ending.
fn locks(folder: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(locks(&path)?);
        } else if path.extension().is_some_and(|end| end == "lock") {
            found.push(path.file_name().unwrap_or_default().to_string_lossy().into_owned());
        }
    }
    Ok(found)
}

/// Processes whose environment names the run's folder, once they have had time to end.
fn alive(folder: &Path) -> io::Result<Vec<String>> {
    let until = Instant::now() + PATIENCE;
    loop {
        let found = marked(folder)?;
        if found.is_empty() || Instant::now() > until {
            return Ok(found);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn marked(folder: &Path) -> io::Result<Vec<String>> {
    let mark = folder.as_os_str().as_bytes();
    let mut found = Vec::new();
    for process in fs::read_dir("/proc")?.flatten() {
        let environment = fs::read(process.path().join("environ")).unwrap_or_default();
        if environment.windows(mark.len()).any(|window| window == mark) {
            let name = fs::read_to_string(process.path().join("comm")).unwrap_or_default();
            found.push(format!("{} {}", process.file_name().to_string_lossy(), name.trim()));
        }
    }
    Ok(found)
}
