//! Finds the repository, its runs, and folds a run's journal into its timeline. Reads only.

use std::{path::Path, sync::Arc};

use ralph_core::{event::Decision, ids::RunId, settings::Settings, timeline::Timeline};
use ralph_engine::{git::Repository, journal, layout::Layout, runs, secrets};
use ralph_text::redact::Redactor;

use crate::diagnostics::CommandError;

/// Knows what must not be in a text that people pass on, by these settings and this environment.
pub(crate) fn redactor(settings: &Settings) -> Redactor {
    secrets::redactor(&std::env::vars_os().collect::<Vec<_>>(), settings)
}

/// A repository and where its truth and views are.
#[derive(Debug, Clone)]
pub(crate) struct RunStore {
    pub(crate) layout: Layout,
}

impl RunStore {
    /// The repository around a folder; linked worktrees share the main one's.
    pub(crate) fn find(folder: &Path) -> Result<Self, CommandError> {
        if !folder.is_dir() {
            let error = std::io::ErrorKind::NotADirectory.into();
            return Err(CommandError::file("work in", folder)(error));
        }
        let repository = Repository::discover(folder)?;
        Ok(Self { layout: Layout::new(repository.common_dir(), repository.main_root()) })
    }

    /// The run with this name, or the last one that worked on something.
    pub(crate) fn run(&self, name: Option<&str>) -> Result<RunId, CommandError> {
        let Some(name) = name else {
            return runs::latest(&self.layout).ok_or(CommandError::NoRun);
        };
        let runs = runs::all(&self.layout);
        let known: Vec<String> = runs.iter().rev().map(|run| run.0.clone()).collect();
        let named = runs.into_iter().find(|run| run.as_str() == name);
        let what = format!("there is no run called {name}");
        named.ok_or_else(|| {
            CommandError::unknown(what, ("runs", &known), "start one with ralph run")
        })
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
    pub(crate) fn timeline(&self, run: &RunId) -> Result<Timeline, CommandError> {
        let mut timeline = Timeline::default();
        timeline.is_older = runs::latest(&self.layout).is_some_and(|latest| latest > *run);
        self.decisions(run, |decision| timeline.apply(&decision))?;
        Ok(timeline)
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use ralph_agents::live_event::News;
    use ralph_engine::journal::Writer;

    use super::*;
    use crate::reporters::tests::scripts::{self, Beat};

    fn git(folder: &Path, args: &[&str]) {
        let status = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(args)
            .current_dir(folder)
            .output()
            .unwrap();
        assert!(status.status.success(), "{args:?}: {status:?}");
    }

    #[test]
    fn runs_are_found_and_folded_from_any_worktree() {
        let folder = tempfile::tempdir().unwrap();
        let main = folder.path().join("main");
        std::fs::create_dir(&main).unwrap();
        git(&main, &["init", "-q"]);
        git(&main, &["commit", "-q", "--allow-empty", "-m", "first"]);
        git(&main, &["worktree", "add", "-q", "../linked"]);
        let place = RunStore::find(&main).unwrap();
        assert!(matches!(place.run(None), Err(CommandError::NoRun)));
        for run in ["261114-0042-k3f", "261113-0900-abc"] {
            let journal = place.layout.journal(&run.into());
            std::fs::create_dir_all(journal.parent().unwrap()).unwrap();
            let mut writer = Writer::create(&journal).unwrap();
            for beat in scripts::given_up() {
                if let Beat::News(News::Decided(decision)) = beat {
                    writer.append(&decision).unwrap();
                }
            }
        }
        let linked = RunStore::find(&folder.path().join("linked")).unwrap();
        assert_eq!(linked.layout, place.layout);
        let last = linked.run(None).unwrap();
        assert_eq!(last.as_str(), "261114-0042-k3f");
        let timeline = linked.timeline(&last).unwrap();
        assert_eq!((timeline.counts.done, timeline.counts.failed), (1, 1));
        let unknown = linked.run(Some("nope")).err().map(|error| error.help());
        assert_eq!(unknown.as_deref(), Some("runs: 261114-0042-k3f and 261113-0900-abc"));
    }
}
