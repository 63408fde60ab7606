//! What one process in a box needs. Decides nothing about the box: that is the policy's.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use super::layers::Layers;

/// What ralph writes below its views, apart from the plan: reviewers may read that.
const WRITTEN: [&str; 4] = ["archive", "memory", "progress.md", "runs"];

/// What one process in a box needs.
#[derive(Debug, Clone, Default)]
pub struct SandboxRequest {
    /// The folder it works in.
    pub workspace: PathBuf,
    /// Never changed by it, whatever lies around them: `.git`, `.ralph`.
    pub protected: Vec<PathBuf>,
    /// Empty inside, whatever is there: what an agent would load unasked.
    pub hidden: Vec<PathBuf>,
    /// Empty inside too, though it lies in what is protected: what agents had ralph write down.
    pub unseen: Vec<PathBuf>,
    /// Seen inside at another place than here, to be read: from, at.
    pub shown: Vec<(PathBuf, PathBuf)>,
    /// Written at another place than here: from, at.
    pub lent: Vec<(PathBuf, PathBuf)>,
    /// What its home begins with; without it, nothing.
    pub home: Option<PathBuf>,
    pub readable: Vec<PathBuf>,
    pub writable: Vec<PathBuf>,
    /// Takes what is written to package caches, and to the workspace if it says so; without it there are no caches.
    pub layers: Option<Layers>,
    /// The program to start.
    pub program: OsString,
    /// Unix sockets are allowed even where those of the machine cannot be hidden, and none is.
    pub unix_sockets: bool,
    /// The index that git finds inside, in the place of which: it describes the tree that is judged.
    pub index: Option<(PathBuf, PathBuf)>,
}

impl SandboxRequest {
    /// Of whoever works in `workspace`: the repository's own folders and `views` are seen and never changed.
    pub fn work(workspace: &Path, common_dir: &Path, views: &Path) -> Self {
        let protected = vec![workspace.join(".git"), common_dir.to_owned(), views.to_owned()];
        // Whoever works elsewhere finds the same notes at the same relative place, and cannot make others.
        let here = workspace.join(".ralph");
        let shown = if here == *views || !views.is_dir() {
            Vec::new()
        } else {
            vec![(views.to_owned(), here)]
        };
        Self { workspace: workspace.to_owned(), protected, shown, ..Self::default() }
    }

    /// Of whoever judges: what ralph wrote into its views is in part an agent's word, and in no commit; what it keeps
    /// under refs of its own was not accepted.
    #[must_use]
    pub fn judging(mut self, views: &Path, common_dir: &Path) -> Self {
        let written = WRITTEN.iter().map(|name| views.join(name));
        self.unseen.extend(written.chain([common_dir.join("refs/ralph")]));
        let elsewhere = self.shown.iter().filter(|(from, _)| from == views).map(|(_, at)| at);
        let elsewhere: Vec<PathBuf> =
            elsewhere.flat_map(|at| WRITTEN.iter().map(|name| at.join(name))).collect();
        self.unseen.extend(elsewhere);
        self
    }

    /// Of gates: they are the project's, and `.ralph` is not. Formatters find nothing there to complain about or to
    /// write.
    #[must_use]
    pub fn without_views(mut self, views: &Path) -> Self {
        let elsewhere = self.shown.iter().filter(|(from, _)| from == views).map(|(_, at)| at);
        let places: Vec<PathBuf> = elsewhere.cloned().chain([views.to_owned()]).collect();
        self.unseen.retain(|path| !places.iter().any(|place| path.starts_with(place)));
        self.unseen.extend(places);
        self
    }
}
