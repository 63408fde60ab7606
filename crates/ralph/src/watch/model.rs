//! Everything the screen shows, as plain data. Knows no file, no clock and no terminal.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use ralph_agents::live_event::Said;
use ralph_core::{
    ids::{RunId, TaskId},
    input::Wish,
    plan::Status,
    run::RunState,
    time::Timestamp,
    timeline::{Step, Timeline},
};

use super::{
    listing::{Filter, Order},
    paint::Brush,
    prompt::Prompt,
    stream::Stream,
};

/// Whether a process works on the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Life {
    #[default]
    Going,
    Ended,
    /// No end was written, and its process is dead.
    Gone,
}

/// What the right side shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Pane {
    #[default]
    Stream,
    Gates,
    Diff,
    Proof,
    Time,
    Cost,
    Asks,
}

/// The panes with the words over them, in the order of their keys.
pub(super) const PANES: [(Pane, &str); 7] = [
    (Pane::Stream, "Stream"),
    (Pane::Gates, "Gates"),
    (Pane::Diff, "Diff"),
    (Pane::Proof, "Proof"),
    (Pane::Time, "Time"),
    (Pane::Cost, "Cost"),
    (Pane::Asks, "Asks"),
];

/// Where keys go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Focus {
    #[default]
    List,
    Pane,
}

/// What is shown of one iteration's files.
#[derive(Debug, Clone, Default)]
pub(super) struct Shown {
    pub(super) iteration: Option<u32>,
    pub(super) stream: Stream,
    /// What its gates did, oldest first.
    pub(super) gates: Vec<(Timestamp, Said)>,
    /// What it changed, once that was written.
    pub(super) patch: Option<String>,
    /// Which of the files there run on this machine, and why.
    pub(super) exposed: BTreeMap<String, String>,
}

/// One watched run.
#[derive(Debug, Clone, Default)]
pub(super) struct Model {
    pub(super) project: String,
    pub(super) run: RunId,
    pub(super) timeline: Timeline,
    pub(super) life: Life,
    /// The other machine that works on it, where nobody can look.
    pub(super) elsewhere: Option<String>,
    /// What people asked for and the run has not taken yet.
    pub(super) sent: Vec<Wish>,
    pub(super) now: Timestamp,
    pub(super) zone: Option<TimeZone>,
    pub(super) brush: Brush,
    pub(super) filter: Filter,
    pub(super) order: Order,
    /// Positions of the listed tasks in the plan.
    pub(super) rows: Vec<usize>,
    /// The chosen task's position in the plan.
    pub(super) chosen: usize,
    pub(super) pane: Pane,
    pub(super) focus: Focus,
    /// The pane has the whole width.
    pub(super) is_zoomed: bool,
    /// The list follows the task under way.
    pub(super) is_following: bool,
    /// How far the pane is scrolled from where it is at first, and how far it can be.
    pub(super) scroll: usize,
    pub(super) most: usize,
    /// Which of the chosen task's iterations, counted from its newest.
    pub(super) earlier: usize,
    /// Which of the things that wait is chosen.
    pub(super) ask: usize,
    pub(super) shown: Shown,
    pub(super) prompt: Option<Prompt>,
    /// What was searched for last.
    pub(super) sought: String,
    /// What a person should see now, once.
    pub(super) note: Option<String>,
    /// Whether something waits in each of the watched folders, and which of them this is.
    pub(super) tabs: Vec<bool>,
    pub(super) tab: usize,
    pub(super) is_leaving: bool,
}

impl Model {
    pub(super) fn state(&self) -> Option<&RunState> {
        self.timeline.state()
    }

    /// Until when the run's time goes: it stands still once the run is over.
    pub(super) fn until(&self) -> Timestamp {
        if self.life == Life::Going { self.now } else { self.timeline.last() }
    }

    /// The chosen task's id.
    pub(super) fn task(&self) -> Option<TaskId> {
        let state = self.state()?;
        state.task(self.chosen).map(|task| task.id.clone())
    }

    /// The chosen task's iterations, oldest first.
    pub(super) fn steps(&self) -> &[Step] {
        let known = self.task().and_then(|task| self.timeline.tasks.get(&task));
        known.map_or(&[], |task| &task.steps)
    }

    /// The iteration whose files are shown.
    pub(super) fn step(&self) -> Option<&Step> {
        let steps = self.steps();
        steps.len().checked_sub(self.earlier + 1).and_then(|at| steps.get(at))
    }

    /// Whether the shown iteration is the one under way.
    pub(super) fn is_live(&self) -> bool {
        let current = self.timeline.current.as_ref().map(|current| current.start.iteration);
        self.life == Life::Going
            && self.shown.iteration.is_some()
            && self.shown.iteration == current
    }

    /// How many questions and proposals wait for a person.
    pub(super) fn asks(&self) -> (usize, usize) {
        let proposals = self.state().map_or(0, |state| state.proposals.len());
        (self.timeline.counts.parked, proposals)
    }

    /// The status of a task now.
    pub(super) fn status(&self, at: usize) -> Status {
        let progress = self.state().and_then(|state| state.tasks.get(at));
        progress.map(|progress| progress.status).unwrap_or_default()
    }
}
