//! Where everything is on disk: the truth below the git common directory, views below `.ralph/`.

use std::path::{Path, PathBuf};

use ralph_core::ids::RunId;

/// The folders of one repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    truth: PathBuf,
    views: PathBuf,
}

impl Layout {
    /// `common_dir` is git's common directory, `root` the main worktree.
    pub fn new(common_dir: &Path, root: &Path) -> Self {
        Self { truth: common_dir.join("ralph"), views: root.join(".ralph") }
    }

    /// The folder of people above a path of ralph's own: nothing below it may be a link.
    pub fn base_of(&self, path: &Path) -> &Path {
        let above = self.truth.parent().filter(|_| path.starts_with(&self.truth));
        above.unwrap_or(&self.views)
    }

    /// `<git-common-dir>/ralph`: lock, inbox and journals.
    pub fn truth(&self) -> &Path {
        &self.truth
    }

    /// `.ralph`: what people write and read.
    pub fn views(&self) -> &Path {
        &self.views
    }

    /// Held by the one process that may run here.
    pub fn lock(&self) -> PathBuf {
        self.truth.join("lock")
    }

    /// Requests of people to the running loop.
    pub fn inbox(&self) -> PathBuf {
        self.truth.join("inbox")
    }

    /// All runs' truth.
    pub fn runs(&self) -> PathBuf {
        self.truth.join("runs")
    }

    /// One run's truth: journal, snapshot, what must survive the agent.
    pub fn run(&self, run: &RunId) -> PathBuf {
        self.runs().join(run.as_str())
    }

    /// One run's journal.
    pub fn journal(&self, run: &RunId) -> PathBuf {
        self.run(run).join("journal.jsonl")
    }

    /// Locked while somebody looks at the run.
    pub fn attention(&self, run: &RunId) -> PathBuf {
        self.run(run).join("attention")
    }

    /// The plan as people see it.
    pub fn plan(&self) -> PathBuf {
        self.views.join("plan.json")
    }

    /// What finished plans left.
    pub fn archive(&self) -> PathBuf {
        self.views.join("archive")
    }

    /// What is remembered, for people and for the next run.
    pub fn memory(&self) -> PathBuf {
        self.views.join("memory")
    }

    /// The knowledge graph of agents that compact memory.
    pub fn graph(&self) -> PathBuf {
        self.memory().join("graph.jsonl")
    }

    /// The log of what iterations did, for people.
    pub fn progress(&self) -> PathBuf {
        self.views.join("progress.md")
    }

    /// One run's views.
    pub fn run_views(&self, run: &RunId) -> PathBuf {
        self.views.join("runs").join(run.as_str())
    }

    /// What keeps git from taking runs' views along.
    pub fn runs_ignored(&self) -> PathBuf {
        self.views.join("runs/.gitignore")
    }

    /// The record of a run for reading later.
    pub fn session_log(&self, run: &RunId) -> PathBuf {
        self.run_views(run).join("session.log")
    }

    /// What people read of a run that has ended.
    pub fn report(&self, run: &RunId) -> PathBuf {
        self.run_views(run).join("report.md")
    }

    /// The same as a page for a browser.
    pub fn report_page(&self, run: &RunId) -> PathBuf {
        self.run_views(run).join("report.html")
    }

    /// What an agent that compacted memory left, below its run's views.
    pub fn compaction(&self, run: &RunId, number: u32) -> PathBuf {
        self.run_views(run).join("compactions").join(format!("{number:04}"))
    }

    /// One iteration's views, below its run's.
    pub fn iteration(&self, run: &RunId, iteration: u32) -> PathBuf {
        self.run_views(run).join("iterations").join(format!("{iteration:04}"))
    }

    /// What an iteration's agent said, as events; a call that is repeated has a file of its own.
    pub fn events(&self, run: &RunId, iteration: u32, retry: u32) -> PathBuf {
        self.iteration(run, iteration).join(match retry {
            0 => "events.jsonl".to_owned(),
            retry => format!("events.retry{retry}.jsonl"),
        })
    }

    /// What an iteration's gates did while they ran; iteration 0 is the run's beginning.
    pub fn gate_notices(&self, run: &RunId, iteration: u32) -> PathBuf {
        let folder = match iteration {
            0 => self.run_views(run).join("baseline"),
            iteration => self.iteration(run, iteration),
        };
        folder.join("gates.jsonl")
    }
}
