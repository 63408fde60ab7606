//! Who writes into which layers: what an agent wrote beside its work, no gate ever reads.
//!
//! Gates read what was there before the agents: the user's own folders, and over them what gates wrote on a tree that a
//! person had taken before the run began. Whatever else a gate or a reviewer writes is gone when it has judged.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use ralph_core::{
    ids::TreeId,
    input::{Failure, FailureClass},
};

use super::Live;
use crate::{remove::remove_all, sandbox::Layers};

/// Whose layers they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writer {
    /// An agent at work; what it writes stays for its next call.
    Agent,
    /// Gates on a tree that a person has taken; what they write is below everybody else's, in later runs too.
    Baseline,
    /// Gates and checks on a tree that agents made, in this run or an earlier one.
    Gate,
    /// An agent that only looks.
    Reviewer,
}

/// Where the layers of a run are.
pub(super) struct LayerFolders {
    /// Of the repository: those of gates, which the next run reads too.
    before: PathBuf,
    /// Whether it is known how they came about.
    is_known: bool,
    run: PathBuf,
}

impl LayerFolders {
    /// What this writer writes.
    pub(super) fn top(&self, writer: Writer) -> PathBuf {
        match writer {
            Writer::Agent => self.run.join("agent"),
            Writer::Baseline => self.before.clone(),
            Writer::Gate => self.run.join("gates"),
            Writer::Reviewer => self.run.join("review"),
        }
    }

    /// What judges see of the tree as git gives it.
    pub(super) fn tree(&self) -> PathBuf {
        self.run.join("tree")
    }

    /// The index that describes the tree to be judged, for whoever judges.
    pub(super) fn index(&self) -> PathBuf {
        self.run.join("index")
    }

    /// What it reads of others.
    pub(super) fn base(&self, writer: Writer) -> Vec<PathBuf> {
        let tree = (writer != Writer::Agent).then(|| self.tree());
        let reads = self.is_known && writer != Writer::Baseline;
        tree.into_iter().chain(reads.then(|| self.before.clone())).collect()
    }
}

impl Live {
    pub(super) fn layers(&self) -> LayerFolders {
        let folder = self.repository.layers_folder(&self.state_home);
        let run = folder.join("runs").join(self.run.as_str());
        LayerFolders { before: self.base_folder(), is_known: self.base_key().is_some(), run }
    }

    /// Where the layers below everybody's are.
    pub(super) fn base_folder(&self) -> PathBuf {
        self.repository.layers_folder(&self.state_home).join("before")
    }

    /// Forgets what this writer wrote.
    pub(super) fn clear_layers(&self, writer: Writer) -> Result<(), Failure> {
        remove(&self.layers().top(writer))
            .map_err(cannot("remove what an earlier gate or reviewer wrote"))
    }

    /// What this writer wrote over the worktree.
    pub(super) fn written(&mut self, writer: Writer) -> Result<PathBuf, Failure> {
        let top = self.layers().top(writer);
        Ok(Layers::written(&top, self.worktree()?.root()))
    }

    /// Makes ready what judges see of a tree, which the worktree holds: its files as git gives them, and an index that
    /// describes it.
    pub(super) fn lay_out(&mut self, tree: &TreeId) -> Result<(), Failure> {
        #[cfg(target_os = "linux")]
        if self.enclosure.has_room() {
            let folder = self.layers().tree();
            let worktree = self.worktree()?;
            let up = Layers::written(&folder, worktree.root());
            worktree.lay_out(tree, &up)?;
        }
        let file = self.layers().index();
        fs::create_dir_all(file.parent().unwrap_or(&file))
            .map_err(cannot("prepare the tree for the gates"))?;
        Ok(self.worktree()?.describe(tree, &file)?)
    }

    /// Brings what an agent left of its work into the worktree. Does nothing where it was written there.
    #[cfg(target_os = "linux")]
    pub(super) fn carry(&mut self) -> Result<Vec<String>, Failure> {
        let up = self.written(Writer::Agent)?;
        let carried = self.worktree()?.carry(&up)?;
        self.ignored = carried.ignored;
        self.worktree()?.brought = None;
        Ok(carried.notes)
    }

    /// The same when a call has just ended: whatever else changed in the worktree since it began is the user's.
    #[cfg(target_os = "linux")]
    pub(super) fn carry_after_call(&mut self) -> Result<Vec<String>, Failure> {
        let up = self.written(Writer::Agent)?;
        let has_layer = self.enclosure.has_room();
        let worktree = self.worktree()?;
        let carried = worktree.carry(&up)?;
        worktree.brought = has_layer.then_some(carried.brought);
        self.ignored = carried.ignored;
        Ok(carried.notes)
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn carry_after_call(&mut self) -> Result<Vec<String>, Failure> {
        Ok(Vec::new())
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn carry(&mut self) -> Result<Vec<String>, Failure> {
        Ok(Vec::new())
    }

    /// What gates make of the files of the user's which are in no commit.
    pub(super) fn note_untracked(&self) -> Option<String> {
        let names = self.worktree.as_ref()?.untracked_sample();
        let what = if self.enclosure.has_room() {
            "gates do not see your untracked files, which are in no commit; commit or ignore what they need"
        } else {
            "gates see your untracked files, which are in no commit, so a fresh clone may judge otherwise"
        };
        (!names.is_empty()).then(|| format!("{what}: {}", names.join(", ")))
    }

    /// What agents wrote to files that git ignores, and where that is.
    pub(super) fn note_ignored(&self) -> Option<String> {
        const SAMPLE: usize = 5;
        let names = crate::git::sample(&self.ignored, SAMPLE);
        let more = self.ignored.len().checked_sub(SAMPLE).filter(|more| *more > 0);
        let more = more.map(|more| format!(" and {more} more")).unwrap_or_default();
        let place = self.layers().top(Writer::Agent);
        (!names.is_empty()).then(|| {
            format!(
                "what agents wrote to ignored files is not in your worktree: {}{more}; it stays in {} until \
                 the next run",
                names.join(", "),
                place.display()
            )
        })
    }

    /// Removes the layers of runs that were closed: nobody comes back to them. And those of which nobody knows on which
    /// tree they were written, because an older ralph left them or a baseline was cut short, or which do not fit what a
    /// new run begins with.
    pub(super) fn clear_old_layers(&mut self, is_new: bool) -> Result<(), Failure> {
        if self.base_key().is_none() || (is_new && !self.base_holds()?) {
            self.clear_layers(Writer::Baseline)?;
        }
        let runs = self.repository.layers_folder(&self.state_home).join("runs");
        for entry in fs::read_dir(runs).into_iter().flatten().flatten() {
            let run = ralph_core::ids::RunId(entry.file_name().to_string_lossy().into_owned());
            if run != self.run && crate::git::is_closed(&self.layout.run(&run)) {
                let _ = remove_all(&entry.path());
            }
        }
        Ok(())
    }
}

fn remove(folder: &Path) -> io::Result<()> {
    if folder.exists() { remove_all(folder) } else { Ok(()) }
}

fn cannot(what: &'static str) -> impl Fn(io::Error) -> Failure {
    move |error| {
        Failure {
        class: FailureClass::Workspace,
        what: format!("cannot {what}: {error}"),
        help: "check that the state folder ($XDG_STATE_HOME/ralph) can be written, then run ralph resume".into(),
    }
    }
}
