//! Everything the screen shows, as plain data. Knows no file, no clock and no terminal.

use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;
use ralph_agents::live_event::Said;
use ralph_core::{
    ids::{RunId, TaskId},
    input::Wish,
    plan::Status,
    report::Report,
    run::RunState,
    time::Timestamp,
    timeline::{Step, Timeline},
};

use super::{
    listing::{Filter, Order},
    log_search::Search,
    paint::Brush,
    prompt::Prompt,
    stream::{Stream, Tool},
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

/// What becomes of lines that are too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum LongLines {
    #[default]
    Cut,
    Broken,
}

impl LongLines {
    pub(super) fn other(self) -> Self {
        match self {
            Self::Cut => Self::Broken,
            Self::Broken => Self::Cut,
        }
    }
}

/// A row of the stream: the place of its item in the log, and which of the item's rows it is.
pub(super) type Key = (u64, usize);

/// The chosen row of the stream, and on which row of the pane it is. Where none is chosen the stream's end is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pick {
    pub(super) key: Key,
    pub(super) row: usize,
}

/// What is shown of one iteration's files.
#[derive(Debug, Clone, Default)]
pub(super) struct Shown {
    pub(super) iteration: Option<u32>,
    /// The newest of what its agent did.
    pub(super) stream: Stream,
    /// An earlier part, while that is read.
    pub(super) past: Option<Stream>,
    /// Places of calls that a person opened or, where a failure opened them, closed.
    pub(super) turned: BTreeSet<u64>,
    /// Places of calls that are not folded with those beside them.
    pub(super) apart: BTreeSet<u64>,
    /// What its gates did, oldest first.
    pub(super) gates: Vec<(Timestamp, Said)>,
    /// What it changed, once that was written.
    pub(super) patch: Option<String>,
    /// Which of the files there run on this machine, and why.
    pub(super) exposed: BTreeMap<String, String>,
}

impl Shown {
    /// The part of the stream that is read.
    pub(super) fn part(&self) -> &Stream {
        self.past.as_ref().unwrap_or(&self.stream)
    }

    /// Whether a call shows what it gave; failures do by themselves.
    pub(super) fn is_open(&self, place: u64, tool: &Tool) -> bool {
        let is_error = tool.end.as_ref().is_some_and(|end| end.is_error);
        is_error != self.turned.contains(&place)
    }

    /// Whether a call may be shown as one with its like.
    pub(super) fn folds(&self, place: u64, tool: &Tool) -> bool {
        let is_fine = tool.end.as_ref().is_some_and(|end| !end.is_error);
        is_fine && !self.apart.contains(&place) && !self.is_open(place, tool)
    }
}

/// How much of what is done is proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Proved {
    pub(super) done: usize,
    pub(super) verified: usize,
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
    /// Counted when it is to be shown; nothing after something was decided.
    pub(super) proved: Option<Proved>,
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
    /// The chosen one of the task's iterations; without one it is the newest.
    pub(super) pinned: Option<u32>,
    pub(super) pick: Option<Pick>,
    /// The stream's rows and the pane's height when they were measured last.
    pub(super) keys: Vec<Key>,
    pub(super) height: usize,
    /// A place of the log that is to be read around.
    pub(super) wanted: Option<u64>,
    pub(super) long_lines: LongLines,
    /// Which of the things that wait is chosen.
    pub(super) ask: usize,
    pub(super) shown: Shown,
    pub(super) prompt: Option<Prompt>,
    /// What was searched for last, and how far that is in the stream.
    pub(super) sought: String,
    pub(super) search: Option<Search>,
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

    /// Takes over whether a process works on the run, and on which other machine it is.
    pub(super) fn live(&mut self, life: Life, elsewhere: Option<String>) {
        self.timeline.is_elsewhere = elsewhere.is_some();
        (self.life, self.elsewhere) = (life, elsewhere);
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
        let is_pinned = |step: &&Step| Some(step.iteration) == self.pinned;
        // A review has no gates and changes nothing.
        let is_of_work = matches!(self.pane, Pane::Gates | Pane::Diff);
        let fits = |step: &&Step| !is_of_work || step.attempt.is_some();
        let newest = || steps.iter().rev().find(fits).or_else(|| steps.last());
        steps.iter().find(is_pinned).or_else(newest)
    }

    /// Counts what is proved, if that is shown and was not counted yet.
    pub(super) fn count(&mut self) {
        let is_shown = self.pane == Pane::Cost || self.life != Life::Going;
        if is_shown && self.proved.is_none() {
            let counts = self.state().map(|state| Report::of(state).counts);
            self.proved =
                counts.map(|counts| Proved { done: counts.done, verified: counts.verified });
        }
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
