//! The truth for people: `submit` seeds it, `watch` and `status` read it. Works in a scratch repository, wherever the
//! caller is.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    path::Path,
};

use anyhow::{Context as _, Result};
use ralph_core::{outcome::Outcome, run::RunState};

use super::{
    git::Program,
    lease::Lease,
    published::Published,
    push::{Pushed, Swap},
    read::Truth,
    repository::Repository,
    sound,
    write::Change,
};
use crate::journal::fold;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a loop begins with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeedFiles {
    /// `plan.json`.
    pub plan: Vec<u8>,
    /// `settings.toml` of the project; none removes what an earlier seed had.
    pub settings: Option<Vec<u8>>,
    /// The loop that begins.
    pub key: String,
    /// Its submission.
    pub submission: String,
    /// A person says that whoever holds the branch is gone for good.
    pub takes_over: bool,
    /// A plan that the branch has done already is worked through once more.
    pub again: bool,
}

/// A truth that waits for its first stint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seeded {
    pub commit: String,
    /// The truth that it took the place of.
    pub before: Option<String>,
    /// The run that goes on: an earlier loop left it, with the same plan.
    pub run: Option<String>,
    /// What that run had done and cost by then.
    pub iterations: u32,
    pub cost_micro_usd: u64,
    /// Tasks that the branch's former run has done, if another one begins.
    pub done: BTreeSet<String>,
}

/// Why nothing was seeded.
#[derive(Debug)]
pub enum SeedError {
    /// A stint works on the branch.
    Held {
        holder: String,
    },
    /// An earlier run has done this very plan, and nobody asked for it again.
    Done,
    /// Somebody else seeded or claimed it at the same time.
    Raced,
    /// A newer version wrote what is there.
    Newer {
        version: String,
    },
    Failed(anyhow::Error),
}

impl fmt::Display for SeedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Held { holder } => write!(
                f,
                "the branch is held by {holder}; stop its loop first, or choose another branch"
            ),
            Self::Done => write!(f, "this plan is already done on the branch"),
            Self::Raced => write!(f, "somebody else took the branch at the same time; try again"),
            Self::Newer { version } => {
                write!(f, "version {version} wrote the branch's truth; update ralph")
            }
            Self::Failed(error) => write!(f, "cannot seed the branch: {error:#}"),
        }
    }
}

impl std::error::Error for SeedError {}

impl From<anyhow::Error> for SeedError {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

impl SeedFiles {
    /// Refuses what nobody would read again.
    fn check_sizes(&self) -> Result<()> {
        let settings = self.settings.as_ref().map_or(0, Vec::len) as u64;
        sound::check_sizes([("plan.json", self.plan.len() as u64), ("settings.toml", settings)])
    }
}

/// Puts plan and settings on the remote. A branch whose lease is held is refused. A run that an earlier loop left goes on
/// if it has this plan and is not done; else the next stint begins another. A branch that has this plan done is refused
/// unless the files ask for it again.
pub fn seed(repo: &str, branch: &str, files: &SeedFiles) -> Result<Seeded, SeedError> {
    files.check_sizes()?;
    let scratch = tempfile::tempdir().context("cannot create a folder for a scratch repository")?;
    let dir = scratch.path().join("scratch.git");
    let repository = Repository::open(&Program::default(), &dir, (repo, branch), "seed")?;
    let before = repository.latest()?;
    let left = left_by(before.as_ref(), files)?;
    let Left { lease: old, published, goes_on, done } = left;
    let (iterations, cost_micro_usd) =
        goes_on.as_ref().map_or((0, 0), |state| (state.counters.iterations, state.usage.cost.0));
    let goes_on = goes_on.is_some();
    // Whoever held it may be alive, and gets the time to notice: the first claim waits for it.
    let is_taken_over = old.held;
    let lease = Lease {
        epoch: old.epoch + 1,
        held: is_taken_over,
        holder: Some(old.holder).filter(|_| is_taken_over).unwrap_or("submit".to_owned()),
        key: files.key.clone(),
        submission: files.submission.clone(),
        is_taken_over,
        noticed_within_ms: old.noticed_within_ms,
        run: old.run.filter(|_| goes_on),
        version: VERSION.to_owned(),
        ..Lease::default()
    };
    let nothing = BTreeMap::new();
    let record = before.as_ref().and_then(|truth| truth.files.workspace.as_deref());
    let change = Change {
        files: vec![
            ("plan.json", Some(&files.plan)),
            ("settings.toml", files.settings.as_deref()),
            ("workspace.json", record.filter(|_| goes_on)),
        ],
        inbox: Some(&nothing),
        journal: (!goes_on).then_some((&[], 0)),
    };
    let parent = before.as_ref().map(|truth| truth.commit.clone());
    let commit = repository.write(parent.as_deref(), (&lease, &published), &change)?;
    let now = Some(commit.clone());
    let swap = Swap { name: repository.truth_ref(), was: parent.clone(), now };
    match repository.push(&swap, &[]) {
        Pushed::Yes => {
            Ok(Seeded { commit, before: parent, run: lease.run, iterations, cost_micro_usd, done })
        }
        Pushed::Fenced(_) | Pushed::Moved(_) => Err(SeedError::Raced),
        Pushed::NotYet { why, .. } => Err(SeedError::Failed(anyhow::anyhow!(why))),
    }
}

/// Whether it could be seeded now, and the tasks that the branch's former run has done if another one would begin.
/// Changes nothing.
pub fn check(repo: &str, branch: &str, files: &SeedFiles) -> Result<BTreeSet<String>, SeedError> {
    files.check_sizes()?;
    let scratch = tempfile::tempdir().context("cannot create a folder for a scratch repository")?;
    let dir = scratch.path().join("scratch.git");
    let repository = Repository::open(&Program::default(), &dir, (repo, branch), "check")?;
    left_by(repository.latest()?.as_ref(), files).map(|left| left.done)
}

/// Puts back what a seed took the place of, because no loop was started on it. Whoever came since keeps the branch.
pub fn unseed(repo: &str, branch: &str, seeded: &Seeded) -> Result<()> {
    let scratch = tempfile::tempdir().context("cannot create a folder for a scratch repository")?;
    let dir = scratch.path().join("scratch.git");
    let repository = Repository::open(&Program::default(), &dir, (repo, branch), "unseed")?;
    // Brings the earlier truth along, which is its parent.
    repository.latest()?;
    let (was, now) = (Some(seeded.commit.clone()), seeded.before.clone());
    match repository.push(&Swap { name: repository.truth_ref(), was, now }, &[]) {
        Pushed::Yes | Pushed::Fenced(_) | Pushed::Moved(_) => Ok(()),
        Pushed::NotYet { why, .. } => Err(anyhow::anyhow!(why)),
    }
}

/// The loop that the branch belongs to, if there is a truth that names one.
pub fn owner(repo: &str, branch: &str) -> Result<Option<String>> {
    let scratch = tempfile::tempdir().context("cannot create a folder for a scratch repository")?;
    let dir = scratch.path().join("scratch.git");
    let repository = Repository::open(&Program::default(), &dir, (repo, branch), "owner")?;
    let key = repository.latest()?.map(|truth| truth.lease.key);
    Ok(key.filter(|key| !key.is_empty()))
}

/// What an earlier loop left on the branch.
struct Left {
    lease: Lease,
    published: Published,
    /// Its run, if that is not over and has this very plan.
    goes_on: Option<RunState>,
    /// Tasks that a run has done which does not go on.
    done: BTreeSet<String>,
}

/// What is left there for this loop; an error if it may not have the branch.
fn left_by(before: Option<&Truth>, files: &SeedFiles) -> Result<Left, SeedError> {
    let Some(before) = before else {
        return Ok(Left {
            lease: Lease::default(),
            published: Published::default(),
            goes_on: None,
            done: BTreeSet::new(),
        });
    };
    let lease = before.lease.clone();
    if lease.held && !files.takes_over {
        return Err(SeedError::Held { holder: lease.holder });
    }
    if lease.is_newer_than(VERSION) {
        return Err(SeedError::Newer { version: lease.version });
    }
    let state = fold(&before.files.journal).context("the branch's journal is damaged")?;
    let mut done = state.as_ref().map(done_by).unwrap_or_default();
    let is_over = |state: &RunState| state.outcome() == Some(&Outcome::Done);
    let state = state.filter(|_| before.files.plan.as_ref() == Some(&files.plan));
    let is_done = state.as_ref().is_some_and(is_over);
    if is_done && !files.again {
        return Err(SeedError::Done);
    }
    let goes_on = state.filter(|_| !is_done);
    let mut published = before.published.clone();
    // What people wanted of the loop before is not meant for this one.
    published.inbox.clear();
    if goes_on.is_some() {
        done.clear();
    } else {
        published.journal_bytes = 0;
        published.trees.clear();
        published.refs.retain(|name, _| name.starts_with("refs/heads/"));
    }
    Ok(Left { lease, published, goes_on, done })
}

/// The tasks that a run has done.
fn done_by(state: &RunState) -> BTreeSet<String> {
    let all = state.tasks.iter().enumerate();
    let done = all.filter(|(_, task)| task.status.satisfies());
    done.map(|(at, _)| state.task_id(at).to_string()).collect()
}

/// Reads a branch's truth and puts its files into a folder: `lease.json`, `plan.json`, `settings.toml` and
/// `journal.jsonl`. The folder keeps what was fetched, so that reading again brings only what is new.
pub fn read(repo: &str, branch: &str, into: &Path) -> Result<Truth> {
    let dir = into.join("truth.git");
    let repository = Repository::open(&Program::default(), &dir, (repo, branch), "read")?;
    let truth = repository.latest()?;
    let truth =
        truth.with_context(|| format!("{} is not on the remote", repository.truth_ref()))?;
    let lease = serde_json::to_vec_pretty(&truth.lease)?;
    let files = [
        ("lease.json", Some(&lease)),
        ("plan.json", truth.files.plan.as_ref()),
        ("settings.toml", truth.files.settings.as_ref()),
        ("journal.jsonl", Some(&truth.files.journal)),
    ];
    for (name, contents) in files {
        let path = into.join(name);
        if let Some(contents) = contents {
            let half = into.join(format!(".{name}.new"));
            fs::write(&half, contents).and_then(|()| fs::rename(&half, &path))
        } else {
            fs::remove_file(&path).or_else(|error| match error.kind() {
                std::io::ErrorKind::NotFound => Ok(()),
                _ => Err(error),
            })
        }
        .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(truth)
}
