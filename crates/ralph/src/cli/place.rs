//! Finds the repository, its runs, and folds a run's journal into a tally. Reads only.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use ralph_core::{event::Decision, ids::RunId};
use ralph_engine::{journal, layout::Layout};

use super::probe;
use crate::{diagnostics::CommandError, reporters::tally::Tally};

/// A repository and where its truth and views are.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) layout: Layout,
}

impl Place {
    /// The repository around a folder; linked worktrees share the main one's.
    pub(crate) fn find(folder: &Path) -> Result<Self, CommandError> {
        let missing = |why: String| CommandError::NoRepository { path: folder.to_owned(), why };
        let ask = |args: &[&str]| {
            let answer = probe::ask(Path::new("git"), args, folder)
                .ok_or_else(|| missing("git could not be run".into()))?;
            if answer.succeeded {
                Ok(answer.stdout)
            } else {
                Err(missing(answer.stderr.trim().to_owned()))
            }
        };
        let common = ask(&["rev-parse", "--path-format=absolute", "--git-common-dir"])?;
        let trees = ask(&["worktree", "list", "--porcelain", "-z"])?;
        let main = trees
            .split('\0')
            .find_map(|line| line.strip_prefix("worktree "))
            .ok_or_else(|| missing("it has no worktree".into()))?;
        let common = PathBuf::from(common.trim_end_matches('\n'));
        Ok(Self { layout: Layout::new(&common, Path::new(main)) })
    }

    /// All runs, oldest first: a run's name begins with its time.
    pub(crate) fn runs(&self) -> Vec<RunId> {
        let entries = std::fs::read_dir(self.layout.runs());
        let mut runs: Vec<RunId> = entries
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| RunId(entry.file_name().to_string_lossy().into_owned()))
            .filter(|run| self.layout.journal(run).is_file())
            .collect();
        runs.sort();
        runs
    }

    /// The run with this name, or the last one.
    pub(crate) fn run(&self, name: Option<&str>) -> Result<RunId, CommandError> {
        let mut runs = self.runs();
        match name {
            None => runs.pop().ok_or(CommandError::NoRun),
            Some(name) => {
                let known: Vec<String> = runs.iter().rev().map(|run| run.0.clone()).collect();
                runs.into_iter()
                    .find(|run| run.as_str() == name)
                    .ok_or_else(|| CommandError::UnknownRun { run: name.to_owned(), known })
            }
        }
    }

    /// A run's decisions, one after the other.
    pub(crate) fn decisions(
        &self,
        run: &RunId,
        mut take: impl FnMut(Arc<Decision>),
    ) -> Result<(), CommandError> {
        let path = self.layout.journal(run);
        journal::read(&path, 0, 0, |decision| take(Arc::new(decision)))?;
        Ok(())
    }

    /// A run so far.
    pub(crate) fn tally(&self, run: &RunId) -> Result<Tally, CommandError> {
        let mut tally = Tally::default();
        self.decisions(run, |decision| tally.apply(&decision))?;
        Ok(tally)
    }
}
