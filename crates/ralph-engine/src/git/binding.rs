//! Git bound to one repository and worktree: where it looks, how it is started, what is known of its configuration.
//! Starts nothing.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::AtomicU64},
};

use super::{
    configuration::{Configuration, Folders},
    environment::GitEnv,
};

/// How git is to be started.
#[derive(Debug, Clone, Default)]
pub(crate) struct Manner {
    /// In a box, wherever it looks at files.
    pub(crate) is_enclosed: bool,
    /// Filters that the user's own settings let run.
    pub(crate) filters: Arc<[String]>,
    /// Commits of run branches are signed.
    pub(crate) signs: bool,
}

/// Git, bound to one repository and worktree. Clones share what is known, and the count of started processes.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    pub(super) env: Arc<GitEnv>,
    pub(super) place: Option<Place>,
    pub(super) manner: Manner,
    pub(super) started: Arc<AtomicU64>,
    pub(super) enclosed: Arc<AtomicU64>,
    /// The configuration of every git folder that was asked for.
    pub(super) known: Arc<Mutex<BTreeMap<PathBuf, Arc<Configuration>>>>,
}

/// Real paths, as they were when the place was found.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) git_dir: PathBuf,
    pub(super) common_dir: PathBuf,
    pub(super) work_tree: PathBuf,
}

impl Git {
    /// The same git for exactly this repository and worktree.
    pub(crate) fn bound(&self, git_dir: &Path, work_tree: &Path) -> Self {
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let git_dir = real(git_dir);
        let common = fs::read_to_string(git_dir.join("commondir")).unwrap_or_default();
        let common_dir = real(&git_dir.join(common.trim_end_matches('\n')));
        let place = Place { git_dir, common_dir, work_tree: real(work_tree) };
        let env = Arc::new(self.env.outside(work_tree));
        Self { place: Some(place), env, ..self.clone() }
    }

    /// The same git, to find another repository with.
    pub(crate) fn released(&self) -> Self {
        Self { place: None, ..self.clone() }
    }

    /// The same git, started like this; without a box where none can be made.
    pub(crate) fn in_manner(&self, manner: Manner) -> Self {
        let is_enclosed = manner.is_enclosed && self.manner.is_enclosed;
        Self { manner: Manner { is_enclosed, ..manner }, ..self.clone() }
    }

    pub(crate) fn manner(&self) -> &Manner {
        &self.manner
    }

    /// How many git processes were started so far.
    #[cfg(test)]
    pub(crate) fn started(&self) -> u64 {
        self.started.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// How many of them had a box.
    #[cfg(test)]
    pub(crate) fn enclosed(&self) -> u64 {
        self.enclosed.load(std::sync::atomic::Ordering::Relaxed)
    }
}

impl Place {
    pub(super) fn folders<'a>(&'a self, work_tree: &'a Path) -> Folders<'a> {
        Folders { work_tree, git_dir: &self.git_dir, common_dir: &self.common_dir }
    }

    /// Where git-lfs keeps what it takes out of files, if it may run.
    pub(super) fn stores(&self, configuration: &Configuration, filters: &[String]) -> Vec<PathBuf> {
        if !filters.iter().any(|name| name == "lfs") {
            return Vec::new();
        }
        let store = self.common_dir.join(configuration.get("lfs.storage").unwrap_or("lfs"));
        let made = fs::create_dir_all(&store).and_then(|()| fs::canonicalize(&store));
        made.into_iter().collect()
    }
}
