//! `ralph status`, and bare `ralph`: where the plan and the last run stand, and what to type next.

mod budget;
mod others;
mod render;
mod words;

use std::path::Path;

use ralph_core::{
    evidence::Label,
    ids::{RunId, TaskId},
    outcome::Outcome,
    plan::{Plan, Task, blocked, formats::plan_json},
    run::{Detail, Phase, RunState, labels_of},
    time::Timestamp,
    vocabulary::Kind,
};
use ralph_engine::{journal, layout::Layout, plan_file, project_file, runs};
use serde::Serialize;

pub(crate) use budget::{CapsView, UsedView};
pub(crate) use words::WordView;

use crate::{
    context::{Context, answer_json},
    diagnostics::CommandError,
    exit,
    reporters::{console::next_command, counts::Counts, tally::Tally},
    session::{
        kept::{self, KeptView},
        plan_status,
        project::told,
        run_store::RunStore,
    },
};

/// What to type where nothing is to be done yet.
const PLAN_FIRST: &str = "ralph plan \"what you want\", then ralph run";

/// Where things stand; what `--json` prints.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct StatusView {
    pub(crate) v: u32,
    pub(crate) run: Option<RunView>,
    pub(crate) counts: CountsView,
    /// Tasks of the plan that the last run was not about, and are not finished.
    pub(crate) others_open: usize,
    /// The last run, if its plan was archived since.
    pub(crate) archived: Option<String>,
    pub(crate) tasks: Vec<TaskView>,
    /// What to type next.
    pub(crate) next: String,
    /// What people said to agents and no run has taken yet, oldest first.
    pub(crate) words_waiting: Vec<WordView>,
    /// Runs that died and were not left in order, oldest first.
    pub(crate) held: Vec<HeldView>,
    /// Changes of the user's that did not fit when a run ended, oldest first.
    pub(crate) unreturned: Vec<KeptView>,
}

/// What a run that died still holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct HeldView {
    pub(crate) run: String,
    /// The ref with the user's changes from before.
    pub(crate) stash: Option<String>,
}

/// Counts of tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct CountsView {
    pub(crate) total: usize,
    pub(crate) done: usize,
    /// Of those done, the ones that were done when the plan was imported.
    pub(crate) imported: usize,
    pub(crate) skipped: usize,
    pub(crate) failed: usize,
    pub(crate) parked: usize,
    pub(crate) open: usize,
}

/// The last run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RunView {
    pub(crate) id: String,
    /// A process works on it now.
    pub(crate) running: bool,
    pub(crate) began: Timestamp,
    pub(crate) last: Timestamp,
    pub(crate) branch: String,
    pub(crate) iterations: u32,
    pub(crate) max_iterations: u32,
    pub(crate) rejected: u32,
    pub(crate) cost_usd_micros: u64,
    pub(crate) cost_is_estimate: bool,
    pub(crate) tokens: u64,
    pub(crate) took_ms: u64,
    /// What it may use.
    pub(crate) limits: CapsView,
    /// The task under way and what it has used.
    pub(crate) task: Option<UsedView>,
    pub(crate) waiting_until: Option<Timestamp>,
    /// Since when a person has it paused.
    pub(crate) paused_since: Option<Timestamp>,
    /// It pauses once the iteration is over.
    pub(crate) is_to_pause: bool,
    /// What people said to its agents and still holds, oldest first.
    pub(crate) steering: Vec<WordView>,
    pub(crate) outcome: Option<String>,
    pub(crate) exit_code: Option<u8>,
}

/// One task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct TaskView {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) status: &'static str,
    pub(crate) tries: u32,
    pub(crate) reviews: u32,
    pub(crate) why: String,
    /// What its agent asks a person.
    pub(crate) question: Option<String>,
    pub(crate) commit: Option<String>,
    pub(crate) branch: Option<String>,
    pub(crate) labels: Vec<String>,
    pub(crate) blocked_by: Option<String>,
}

impl StatusView {
    /// From a plan that no run is known of.
    pub(crate) fn of_plan(plan: &Plan) -> Self {
        let tasks = task_views(plan, None);
        Self {
            v: 1,
            run: None,
            counts: counts(plan.tasks.iter(), &tasks),
            others_open: 0,
            archived: None,
            tasks,
            next: next_of_plan(plan),
            words_waiting: Vec::new(),
            held: Vec::new(),
            unreturned: Vec::new(),
        }
    }

    /// Without a plan and without a run.
    pub(crate) fn empty(has_settings: bool) -> Self {
        Self {
            v: 1,
            run: None,
            counts: CountsView::default(),
            others_open: 0,
            archived: None,
            tasks: Vec::new(),
            next: if has_settings { PLAN_FIRST.into() } else { "ralph init".into() },
            words_waiting: Vec::new(),
            held: Vec::new(),
            unreturned: Vec::new(),
        }
    }

    /// From the last run. `plan` is what holds now: the run's, or the file's where somebody changed it since.
    pub(crate) fn of_run(last: &LastRun) -> Self {
        let LastRun { tally, state, edited, others_open, running, now } = last;
        let now = if *running { *now } else { tally.last };
        let outcome = tally.outcome.as_ref();
        let own = state.plan_view();
        let plan = edited.as_ref().unwrap_or(&own);
        let tasks = task_views(plan, Some(state));
        let next = match (running, outcome) {
            (true, _) if tally.pause.since.is_some() => "ralph resume, or ralph stop".into(),
            (true, _) => "ralph stop, or wait".into(),
            (false, None) => "ralph resume".into(),
            (false, Some(Outcome::Done)) if *others_open > 0 => "ralph run".into(),
            (false, Some(_)) if edited.is_some() => next_of_plan(plan),
            (false, Some(outcome)) => {
                next_command(outcome, tally).unwrap_or_else(|| "git log".into())
            }
        };
        Self {
            v: 1,
            run: Some(RunView {
                id: tally.run.0.clone(),
                running: *running,
                began: tally.began,
                last: tally.last,
                branch: state.start.branch.clone(),
                iterations: tally.iterations,
                max_iterations: tally.max_iterations,
                rejected: tally.rejected,
                cost_usd_micros: tally.usage.cost.0,
                cost_is_estimate: tally.usage.is_estimate,
                tokens: tally.usage.tokens(),
                took_ms: tally.took(now).0,
                limits: CapsView::of(&tally.caps()),
                task: UsedView::under_way(state),
                waiting_until: tally.waiting.as_ref().map(|(until, _)| *until),
                paused_since: tally.pause.since,
                is_to_pause: tally.pause.is_wanted && tally.pause.since.is_none(),
                steering: state.steering.words.iter().filter_map(WordView::held).collect(),
                outcome: state.how_it_ended(),
                exit_code: outcome.map(|outcome| state.start.exit_code(outcome)),
            }),
            counts: counts(
                plan.tasks.iter().filter(|task| state.start.source.selects(&task.id)),
                &tasks,
            ),
            others_open: *others_open,
            archived: None,
            tasks,
            next,
            words_waiting: Vec::new(),
            held: Vec::new(),
            unreturned: Vec::new(),
        }
    }
}

fn counts<'a>(tasks: impl Iterator<Item = &'a Task>, views: &[TaskView]) -> CountsView {
    let counts = Counts::of(tasks);
    let imported = Label::ImportedAsDone.describe();
    CountsView {
        total: counts.total,
        done: counts.done,
        imported: views.iter().filter(|task| task.labels.contains(&imported)).count(),
        skipped: counts.skipped,
        failed: counts.failed,
        parked: counts.parked,
        open: counts.open(),
    }
}

fn next_of_plan(plan: &Plan) -> String {
    if plan.tasks.is_empty() {
        PLAN_FIRST.into()
    } else if plan.open_tasks() > 0 {
        "ralph run".into()
    } else {
        "every task is done or skipped; add tasks to .ralph/plan.json".into()
    }
}

fn task_views(plan: &Plan, state: Option<&RunState>) -> Vec<TaskView> {
    let status = |at: usize| plan.tasks.get(at).map(|task| task.status).unwrap_or_default();
    let blocked = blocked(&plan.tasks, status);
    let shown = plan.tasks.iter().enumerate();
    shown
        .filter(|(_, task)| state.is_none_or(|state| state.start.source.selects(&task.id)))
        .map(|(at, task)| {
            let known = state.and_then(|state| known(state, task));
            let blocked_by = blocked.get(&at).map(|on| on.0.clone());
            let mut view = TaskView { blocked_by, ..task_view(task, known) };
            view.tries += u32::from(state.is_some_and(|state| is_tried(state, &task.id)));
            view
        })
        .collect()
}

/// Whether an attempt on the task is under way, and not counted yet.
fn is_tried(state: &RunState, task: &TaskId) -> bool {
    matches!(&state.phase, Phase::Iterating(iteration)
        if iteration.kind != Kind::Review
            && iteration.verdict.is_none()
            && state.task_id(iteration.task) == *task)
}

/// What a run knows about a task, as long as the task still stands where the run left it.
fn known<'a>(state: &'a RunState, task: &Task) -> Option<&'a Detail> {
    let at = state.position(&task.id)?;
    state.detail(at).filter(|_| state.tasks.get(at).is_some_and(|p| p.status == task.status))
}

fn task_view(task: &Task, detail: Option<&Detail>) -> TaskView {
    let commit = detail.and_then(|detail| detail.commits.last());
    TaskView {
        id: task.id.0.clone(),
        title: task.title.clone(),
        status: task.status.word(),
        tries: detail.map_or(0, |detail| detail.attempts),
        reviews: detail.map_or(task.review_count.unwrap_or_default(), |detail| detail.reviews),
        why: detail.map(|detail| detail.why.clone()).unwrap_or_default(),
        question: task.question.clone(),
        commit: commit.map(|commit| commit.short().to_owned()),
        branch: task.branch.clone(),
        labels: labels_of(task, task.status, detail).iter().map(Label::describe).collect(),
        blocked_by: None,
    }
}

/// Runs `ralph status`.
pub(crate) fn exec(context: &Context) -> Result<u8, CommandError> {
    let view = view(context)?;
    if context.json {
        answer_json(&view)?;
    } else {
        let zone = context.stdout().zone;
        context.answer(&view.render(&zone, context.verbose))?;
    }
    Ok(exit::DONE)
}

/// The last run, folded, and what somebody made of its plan since it ended.
pub(crate) struct LastRun {
    pub(crate) tally: Tally,
    pub(crate) state: RunState,
    pub(crate) edited: Option<Plan>,
    pub(crate) others_open: usize,
    pub(crate) running: bool,
    pub(crate) now: Timestamp,
}

fn view(context: &Context) -> Result<StatusView, CommandError> {
    let place = RunStore::find(&context.project_dir)?;
    let words_waiting = words::waiting(&place.layout)?;
    let runs = runs::worked(&place.layout);
    let kept = runs.iter().flat_map(|run| kept::of(&context.project_dir, &place.layout, run));
    Ok(StatusView {
        words_waiting,
        held: held(&place.layout),
        unreturned: kept.collect(),
        ..without_inbox(&place)?
    })
}

/// What lies about while nobody works here.
fn held(layout: &Layout) -> Vec<HeldView> {
    if journal::Lock::current(&layout.lock()).is_some() {
        return Vec::new();
    }
    let held = |run: &RunId| HeldView { run: run.0.clone(), stash: runs::stash(layout, run) };
    runs::holding(layout).iter().map(held).collect()
}

fn without_inbox(place: &RunStore) -> Result<StatusView, CommandError> {
    let running = journal::Lock::current(&place.layout.lock()).is_some();
    match place.run(None) {
        Ok(run) if !running && plan_status::is_archived(&place.layout, &run) => {
            Ok(StatusView { archived: Some(run.0), ..without_run(place)? })
        }
        Ok(run) => {
            let state = journal::recover(&place.layout.journal(&run))?.state;
            // A run that can go on puts its own plan back; one that is over leaves the file to people.
            let is_over = !running && state.outcome().is_some();
            let edited = is_over && plan_file::is_edited_since(&place.layout, &state);
            let file = plan_file::of_run(&place.layout, &state);
            let edited = if edited { plan_file(&file)? } else { None };
            let tally = place.tally(&run)?;
            let now = Timestamp(jiff::Timestamp::now().as_millisecond());
            let asked =
                is_over && edited.is_none() && plan_status::is_asked(&place.layout, &state)?;
            let ended = plan_status::ended(&place.layout, &state);
            let others_open = others::open(&place.layout, &state, edited.as_ref());
            let last = LastRun { tally, state, edited, others_open, running, now };
            let mut view = StatusView::of_run(&last);
            if asked {
                view.next = "ralph resume".into();
            }
            if let Some(run) = &mut view.run {
                run.outcome = ended;
            }
            Ok(view)
        }
        Err(CommandError::NoRun) => without_run(place),
        Err(error) => Err(error),
    }
}

fn without_run(place: &RunStore) -> Result<StatusView, CommandError> {
    if let Some(plan) = plan_file(&place.layout.plan())? {
        return Ok(StatusView::of_plan(&plan));
    }
    let views = place.layout.views();
    let has_settings =
        ["settings.toml", "settings.json"].iter().any(|name| views.join(name).is_file());
    Ok(StatusView::empty(has_settings))
}

/// The plan file, if there is one.
fn plan_file(path: &Path) -> Result<Option<Plan>, CommandError> {
    match project_file::text(path, project_file::LARGEST) {
        Ok(text) => plan_json::parse(&text).map(Some).map_err(|error| {
            let what = format!("{}: {error}", path.display());
            told(what, Vec::new(), error.help.clone(), exit::USAGE)
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(CommandError::File { doing: "read", path: path.to_owned(), source }),
    }
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
