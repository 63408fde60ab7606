//! A folder in which `ralph watch` finds the run of a loop: its journal as it is published, and a lock that names the
//! machine it is on. Nothing in it is ever published.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::PathBuf,
};

use serde_json::json;
use tempfile::TempDir;

use crate::{
    commands::git,
    error::{CommandError, exit},
    truth::{self, Truth},
};

/// What is on the remote, here.
pub(super) struct Mirror {
    scratch: TempDir,
    repo: String,
    branch: String,
    run: Option<String>,
    journal: Vec<u8>,
    commit: String,
}

impl Mirror {
    pub(super) fn new(repo: &str, branch: &str) -> Result<Self, CommandError> {
        let scratch = tempfile::tempdir().map_err(|error| cannot(&error))?;
        git::must(scratch.path(), &["init", "--quiet", "-b", branch, "view"])?.map_err(|said| {
            CommandError::new(
                exit::WORKSPACE,
                "cannot create a repository for the view",
                "check the disk",
            )
            .because(said)
        })?;
        let (repo, branch) = (repo.to_owned(), branch.to_owned());
        Ok(Self { scratch, repo, branch, run: None, journal: Vec::new(), commit: String::new() })
    }

    /// The checkout that `ralph` is started in.
    pub(super) fn folder(&self) -> PathBuf {
        self.scratch.path().join("view")
    }

    fn ralph(&self) -> PathBuf {
        self.folder().join(".git/ralph")
    }

    pub(super) fn inbox(&self) -> PathBuf {
        self.ralph().join("inbox")
    }

    pub(super) fn has_run(&self) -> bool {
        self.run.is_some()
    }

    pub(super) fn journal(&self) -> &[u8] {
        &self.journal
    }

    /// Brings what was published since the last look. A remote that is away for a while shows nothing new.
    pub(super) fn refresh(&mut self) -> Result<(), CommandError> {
        match truth::read(&self.repo, &self.branch, self.scratch.path()) {
            Ok(truth) if truth.commit != self.commit => self.take(truth),
            _ => Ok(()),
        }
    }

    fn take(&mut self, truth: Truth) -> Result<(), CommandError> {
        self.commit = truth.commit;
        let Some(run) = truth.lease.run.filter(|_| !truth.files.journal.is_empty()) else {
            return Ok(());
        };
        let all = truth.files.journal;
        // A view follows a journal that grows; one that was replaced is another run's.
        let is_grown = self.run.as_ref() == Some(&run) && all.starts_with(&self.journal);
        let new = if is_grown { all.get(self.journal.len()..).unwrap_or_default() } else { &all };
        self.append(&run, new, is_grown).map_err(|error| cannot(&error))?;
        let holder = if truth.lease.held { &truth.lease.holder } else { "no host" };
        self.lock(Some(&run), holder).map_err(|error| cannot(&error))?;
        (self.run, self.journal) = (Some(run), all);
        self.fetch_work();
        Ok(())
    }

    fn append(&self, run: &str, new: &[u8], is_grown: bool) -> io::Result<()> {
        let folder = self.ralph().join("runs").join(run);
        fs::create_dir_all(&folder)?;
        let mut options = OpenOptions::new();
        if is_grown {
            options.append(true)
        } else {
            options.write(true).create(true).truncate(true)
        };
        options.open(folder.join("journal.jsonl"))?.write_all(new)
    }

    /// Says on which machine the run is. The name is never this one's: nobody here can see that process.
    fn lock(&self, run: Option<&str>, holder: &str) -> io::Result<()> {
        let owner =
            json!({ "pid": 0, "host": format!("{holder} (fleet)"), "run": run, "since": "0ms" });
        let (path, half) = (self.ralph().join("lock"), self.ralph().join("lock.new"));
        fs::write(&half, owner.to_string())?;
        fs::rename(&half, &path)
    }

    /// The run branch and kept attempts, for whoever looks at changes. The view does without them if they cannot be had.
    fn fetch_work(&self) {
        let Some(run) = &self.run else { return };
        let branch = format!("+refs/heads/{0}:refs/heads/{0}", self.branch);
        let kept = format!("+refs/ralph/{run}/*:refs/ralph/{run}/*");
        let args =
            ["fetch", "--quiet", "--no-tags", "--update-head-ok", "--", &self.repo, &branch, &kept];
        let _ = git::ask(&self.folder(), &args);
    }

    /// The loop has ended, and nobody works on it any more. The lock names another machine all the same, so that the view
    /// never says how the run could be continued on this one.
    pub(super) fn let_go(&self) -> Result<(), CommandError> {
        if self.run.is_none() {
            return Ok(());
        }
        self.lock(None, "no host").map_err(|error| cannot(&error))
    }
}

fn cannot(error: &io::Error) -> CommandError {
    CommandError::new(exit::WORKSPACE, "cannot write the view", "check the disk and TMPDIR")
        .because(vec![error.to_string()])
}
