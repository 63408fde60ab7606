//! Where the truth about the plan is: with the newest run, or in the plan file. And who takes a person's wish.

use std::path::Path;

use ralph_core::{
    event::Source,
    ids::RunId,
    input::Wish,
    outcome::Outcome,
    plan::{
        Plan,
        person::{self, TaskWish},
    },
    run::RunState,
};
use ralph_engine::{
    archive, clock, inbox,
    journal::{self, JournalError, Lock, Owner},
    layout::Layout,
    plan_file,
    run::{self, Undone},
    runs,
};

use super::{project::read_plan, run_store::RunStore};
use crate::{diagnostics::CommandError, exit};

/// The plan as it stands, and what is known besides.
pub(crate) struct PlanStatus {
    pub(crate) layout: Layout,
    /// The plan with the statuses of now.
    pub(crate) plan: Plan,
    /// The newest run, if it is one of the plan.
    pub(crate) state: Option<RunState>,
    pub(crate) taker: Taker,
    /// What people asked for and no run has taken yet, oldest first.
    pub(crate) waiting: Vec<TaskWish>,
}

/// Who takes a wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Taker {
    /// The active run, between two iterations.
    Running(Owner),
    /// The next process that works on the plan: a run holds its truth, so that the file must wait.
    NextRun,
    /// The last run, which worked on a prompt, once it is resumed.
    Resumed,
    /// Nobody has to: the plan file is the truth.
    File,
}

impl PlanStatus {
    /// Looks at the repository around a folder.
    pub(crate) fn find(folder: &Path) -> Result<Self, CommandError> {
        let layout = RunStore::find(folder)?.layout;
        let owner = Lock::peek(&layout.lock());
        let newest = newest(&layout)?;
        let taker = match (owner, &newest) {
            (Some(owner), _) => Taker::Running(owner),
            (None, Some(state)) if !is_prompt(state) && is_open(&layout, state) => Taker::NextRun,
            _ => Taker::File,
        };
        let state = newest.filter(|state| !is_prompt(state));
        let plan = match (&taker, &state) {
            (Taker::Running(owner), Some(state)) if owner.run.as_ref() == Some(&state.run) => {
                state.plan_view()
            }
            (Taker::NextRun, Some(state)) if !is_superseded(&layout, state) => state.plan_view(),
            _ => read_plan(&layout.plan())?,
        };
        let waiting = waiting(&layout)?;
        Ok(Self { layout, plan, state, taker, waiting })
    }

    /// The same for a command about one task: that of a prompt is known to the newest run alone, whatever the plan is.
    pub(crate) fn about(folder: &Path, task: &str) -> Result<Self, CommandError> {
        let layout = RunStore::find(folder)?.layout;
        let has_it = |state: &RunState| is_prompt(state) && state.position(&task.into()).is_some();
        let Some(state) = newest(&layout)?.filter(has_it) else { return Self::find(folder) };
        let taker = match Lock::peek(&layout.lock()) {
            Some(owner) => Taker::Running(owner),
            None if is_open(&layout, &state) => Taker::Resumed,
            None => return Self::find(folder),
        };
        let (plan, waiting) = (state.plan_view(), waiting(&layout)?);
        Ok(Self { layout, plan, state: Some(state), taker, waiting })
    }

    /// Whether there was a run, and nobody works on it now.
    pub(crate) fn is_dead(&self) -> bool {
        !matches!(self.taker, Taker::Running(_)) && self.state.is_some()
    }

    /// The plan as it will be once what waits is taken.
    pub(crate) fn foreseen(&self) -> Plan {
        let mut plan = self.plan.clone();
        for wish in &self.waiting {
            foresee(&mut plan, wish);
        }
        plan
    }
}

/// Whether a run works on a prompt and leaves the plan alone.
fn is_prompt(state: &RunState) -> bool {
    matches!(state.start.source, Source::Prompt { .. })
}

/// The newest run. One that was killed before its first decision never was.
pub(crate) fn newest(layout: &Layout) -> Result<Option<RunState>, CommandError> {
    let Some(id) = runs::latest(layout) else {
        return Ok(None);
    };
    match journal::recover(&layout.journal(&id)) {
        Ok(recovered) => Ok(Some(recovered.state)),
        Err(JournalError::Empty { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Refuses while a run holds the plan, or could continue with its own.
pub(crate) fn check_free(layout: &Layout) -> Result<(), CommandError> {
    if Lock::peek(&layout.lock()).is_some() {
        let what = "a run is active here and owns the plan until it ends";
        let help = "ralph task adds and changes tasks between iterations; ralph stop ends the run";
        return Err(CommandError::new(exit::LOCKED, what, help));
    }
    match newest(layout)? {
        Some(state) if state.outcome().is_none() => {
            let what = format!("run {} was interrupted and still owns the plan", state.run);
            let help =
                "ralph resume continues it; ralph stop ends it; ralph task changes its tasks";
            Err(CommandError::new(exit::WORKSPACE, what, help))
        }
        _ => Ok(()),
    }
}

/// Takes the lock for a change of ralph's own; `help` says what to do while a run holds it.
pub(crate) fn lock(layout: &Layout, help: impl Into<String>) -> Result<Lock, CommandError> {
    Lock::take(&layout.lock(), clock::now())
        .map_err(|error| CommandError::new(exit::LOCKED, error.to_string(), help))
}

/// Refuses while a run that was killed holds its workspace, and maybe work that is in no commit.
pub(crate) fn check_ended(state: &RunState) -> Result<(), CommandError> {
    if state.outcome().is_some() {
        return Ok(());
    }
    let what = format!("run {} was interrupted and still holds its workspace", state.run);
    let help = "continue it with ralph resume, or close it with ralph stop";
    Err(CommandError::new(exit::WORKSPACE, what, help))
}

/// What people asked for about tasks and no run has taken yet.
pub(crate) fn waiting(layout: &Layout) -> Result<Vec<TaskWish>, CommandError> {
    let inbox = layout.inbox();
    let requests = inbox::read(&inbox).map_err(CommandError::file("read", &inbox))?;
    let wishes = requests.into_iter().filter_map(|request| match request.wish {
        Wish::Task { change } => Some(change),
        Wish::Stop | Wish::StopNow | Wish::Steer { .. } | Wish::Pause { .. } | Wish::Resume => None,
    });
    Ok(wishes.collect())
}

/// Whether something waits for a run that ended: resuming it is then the next thing.
pub(crate) fn is_asked(layout: &Layout, state: &RunState) -> Result<bool, CommandError> {
    let can_go_on = state.outcome().is_some() && runs::has_workspace(layout, &state.run);
    Ok(can_go_on && waiting(layout)?.iter().any(|wish| state.takes(wish)))
}

/// How a run ended, and whether that still holds.
pub(crate) fn ended(layout: &Layout, state: &RunState) -> Option<String> {
    let outcome = state.how_it_ended()?;
    let much = match run::undone(layout, &state.run) {
        None => return Some(outcome),
        Some(Undone::Some) => "some",
        Some(Undone::All) => "all",
    };
    Some(format!("ralph undo took back {much} of its work; before that: {outcome}"))
}

/// Whether the plan of a run was archived since.
pub(crate) fn is_archived(layout: &Layout, run: &RunId) -> bool {
    archive::last_archived(layout).is_some_and(|last| *run <= last)
}

/// Whether somebody changed the plan file after a run had ended: the next run then begins with that.
pub(crate) fn is_superseded(layout: &Layout, state: &RunState) -> bool {
    state.outcome().is_some() && plan_file::is_edited_since(layout, state)
}

/// Whether a run can still be resumed: it was interrupted, or ended with something left.
fn is_open(layout: &Layout, state: &RunState) -> bool {
    match state.outcome() {
        None => true,
        Some(Outcome::Done | Outcome::Drafted) => false,
        Some(_) => runs::has_workspace(layout, &state.run),
    }
}

fn foresee(plan: &mut Plan, wish: &TaskWish) {
    if person::apply_wish(plan, wish).is_ok() {
        return;
    }
    let about = wish.task().and_then(|id| plan.position(id));
    if let Some(task) = about.and_then(|at| plan.tasks.get_mut(at))
        && let Some(last) = person::path(wish, task.status).and_then(<[_]>::last)
    {
        task.status = *last;
    }
}
