//! Follows a run's journal while ralph writes it, and folds it with the core. Decides nothing: it knows which events
//! another host must not have to pay for again.

use std::{
    fs::{self, File},
    io::{Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use ralph_core::{
    event::Event,
    ids::RunId,
    plan::Status,
    run::{Phase, RunState},
};

use crate::{journal::apply, wire::Progress};

/// A journal and how far it was read.
#[derive(Debug)]
pub(crate) struct Tail {
    pub(crate) run: String,
    path: PathBuf,
    read: u64,
    pub(crate) state: Option<RunState>,
}

/// The newest run in a folder that works on something.
pub(crate) fn newest_run(work: &Path) -> Option<String> {
    let runs = fs::read_dir(work.join(".git/ralph/runs")).ok()?.flatten();
    runs.filter(|run| run.path().join("journal.jsonl").is_file())
        .map(|run| run.file_name().to_string_lossy().into_owned())
        .filter(|run| !RunId(run.clone()).is_planning())
        .max()
}

impl Tail {
    pub(crate) fn new(work: &Path, run: &str) -> Self {
        let path = work.join(".git/ralph/runs").join(run).join("journal.jsonl");
        Self { run: run.to_owned(), path, read: 0, state: None }
    }

    /// The events since the last time, of whole lines.
    pub(crate) fn news(&mut self) -> Result<Vec<Event>> {
        let mut fresh = Vec::new();
        let mut file = File::open(&self.path)
            .with_context(|| format!("cannot read {}", self.path.display()))?;
        file.seek(SeekFrom::Start(self.read))?;
        file.read_to_end(&mut fresh)?;
        let whole = fresh.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let events = apply(&mut self.state, fresh.get(..whole).unwrap_or_default())
            .with_context(|| format!("{} is damaged", self.path.display()))?;
        self.read += whole as u64;
        Ok(events)
    }

    pub(crate) fn is_between_iterations(&self) -> bool {
        self.state.as_ref().is_some_and(|state| state.phase == Phase::Boundary)
    }

    /// Puts what the run does now where people see it.
    pub(crate) fn show(&self, progress: &mut Progress) {
        let Some(state) = &self.state else { return };
        (progress.done, progress.tasks) = counts(state);
        progress.iteration = state.counters.iterations;
        progress.limited_until_ms =
            state.resting.values().filter_map(|rest| rest.until).map(|until| until.0).max();
        match &state.phase {
            Phase::Iterating(iteration) => {
                progress.iteration = iteration.number;
                progress.task = state.task_id(iteration.task).to_string();
                progress.phase = format!("{:?}", iteration.stage).to_lowercase();
            }
            Phase::Waiting { .. } => "waiting".clone_into(&mut progress.phase),
            Phase::Paused { .. } => "paused".clone_into(&mut progress.phase),
            _ => "working".clone_into(&mut progress.phase),
        }
    }
}

/// How many tasks are done, and how many there are.
pub(crate) fn counts(state: &RunState) -> (u32, u32) {
    let done = state.tasks.iter().filter(|task| task.status == Status::Done).count();
    let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
    (number(done), number(state.tasks.len()))
}

/// Whether another host would have to pay again if this event were lost, or a person to speak again, or would see for as
/// long as a call takes what was before it.
pub(crate) fn is_worth_publishing(event: &Event) -> bool {
    matches!(
        event,
        Event::IterationStarted(_)
            | Event::TreeCaptured(_)
            | Event::Reviewed(_)
            | Event::AttemptRejected(_)
            | Event::IterationClosed
            | Event::WaitBegan { .. }
            | Event::RequestTaken { .. }
    )
}
