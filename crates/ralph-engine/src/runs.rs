//! Which runs a repository has: the last that worked on something, and those that still hold something of the user's.
//!
//! Reads only, but for a folder that is to go. A run that was refused before it touched anything is none.

use std::{fs, path::Path};

use ralph_core::{ids::RunId, run::RunState};

use crate::{
    git::{self, Repository, Unreturned},
    journal::{self, JournalError},
    layout::Layout,
    remove::remove_all,
};

/// The newest run that works on something, if there is one. One that nobody can read is passed over once its
/// workspace was left.
pub fn latest(layout: &Layout) -> Option<RunId> {
    let is_known = |run: &RunId| has_workspace(layout, run) || !is_unreadable(layout, run);
    all(layout).into_iter().rev().find(|run| has_worked(layout, run) && is_known(run))
}

/// Every run that worked on something, oldest first.
pub fn worked(layout: &Layout) -> Vec<RunId> {
    let mut runs = all(layout);
    runs.retain(|run| has_worked(layout, run));
    runs
}

/// The newest planning run, if there is one.
pub fn latest_planning(layout: &Layout) -> Option<RunId> {
    all(layout).into_iter().rev().find(RunId::is_planning)
}

/// Every run with a journal, oldest first: a run's name begins with its time.
pub fn all(layout: &Layout) -> Vec<RunId> {
    let entries = fs::read_dir(layout.runs()).into_iter().flatten().flatten();
    let with_journal = entries.filter(|entry| entry.path().join("journal.jsonl").is_file());
    let named = |entry: fs::DirEntry| RunId(entry.file_name().to_string_lossy().into_owned());
    let mut runs: Vec<RunId> = with_journal.map(named).collect();
    runs.sort_unstable();
    runs
}

/// These runs as their journals tell them; those that cannot be read are left out.
pub fn states(
    layout: &Layout,
    runs: impl IntoIterator<Item = RunId>,
) -> impl Iterator<Item = RunState> {
    let recover = move |run: RunId| Some(journal::recover(&layout.journal(&run)).ok()?.state);
    runs.into_iter().filter_map(recover)
}

/// The runs whose workspace was never left in order, oldest first: an agent's leftovers lie there, and what was the
/// user's before may wait under a ref.
pub fn holding(layout: &Layout) -> Vec<RunId> {
    let mut runs = all(layout);
    runs.retain(|run| !run.is_planning() && git::is_open(&layout.run(run)));
    runs
}

/// The runs that nobody can take up because their journals cannot be read, oldest first.
pub fn unreadable(layout: &Layout) -> Vec<RunId> {
    let mut runs = all(layout);
    runs.retain(|run| has_workspace(layout, run) && is_unreadable(layout, run));
    runs
}

/// Removes a run's folder, whatever lies in it.
pub fn remove_folder(folder: &Path) -> std::io::Result<()> {
    remove_all(folder)
}

/// Where a run keeps changes of the user's that it has not brought back.
pub fn stash(layout: &Layout, run: &RunId) -> Option<String> {
    git::kept_changes(&layout.run(run))
}

/// Where else a run may have kept what people wrote beside it: refs by their full names, and a folder.
pub fn kept_besides(folder: &Path, layout: &Layout, run: &RunId) -> Vec<String> {
    let named = Repository::discover(folder).and_then(|it| it.refs_of(run)).unwrap_or_default();
    let is_peoples = |name: &String| {
        let parts = ["staged", "your-commits", "yours", "found", "moved", "gates"];
        name.split('/').nth(3).is_some_and(|part| parts.contains(&part))
    };
    let mut places: Vec<String> = named.into_iter().filter(is_peoples).collect();
    let aside = git::aside_folder(&layout.run(run));
    if fs::read_dir(&aside).is_ok_and(|mut files| files.next().is_some()) {
        places.push(aside.display().to_string());
    }
    places
}

/// Changes of the user's that did not fit when a run ended, as long as their refs are there.
pub fn unreturned(folder: &Path, layout: &Layout, run: &RunId) -> Vec<Unreturned> {
    let mut kept = git::unreturned(&layout.run(run));
    if !kept.is_empty() {
        let known = Repository::discover(folder);
        let has =
            |name: &str| known.as_ref().is_ok_and(|it| matches!(it.commit_at(name), Ok(Some(_))));
        kept.retain(|one| has(&one.stash));
    }
    kept
}

/// Whether a run got so far that its workspace was recorded: from then on there is something to go back to.
pub fn has_workspace(layout: &Layout, run: &RunId) -> bool {
    git::has_record(&layout.run(run))
}

/// Not a planning run, and not one that came to its end without a workspace.
fn has_worked(layout: &Layout, run: &RunId) -> bool {
    !run.is_planning() && !is_refused(layout, run)
}

fn is_unreadable(layout: &Layout, run: &RunId) -> bool {
    let known = journal::recover(&layout.journal(run));
    known.is_err_and(|error| !matches!(error, JournalError::Empty { .. }))
}

fn is_refused(layout: &Layout, run: &RunId) -> bool {
    let ended = |state: &RunState| state.outcome().is_some() && state.workspace.is_none();
    !git::had_record(&layout.run(run))
        && journal::recover(&layout.journal(run)).is_ok_and(|known| ended(&known.state))
}
