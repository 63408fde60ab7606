//! The state of the plan and of the last run, as data: what `ralph status --json` prints.

use ralph_core::{
    evidence::Label,
    ids::TaskId,
    next_command::{FinishedWork, Need, Obstacle, Situation, Work, next_command},
    outcome::Outcome,
    plan::{Plan, Status, StatusCounts, Task, blocked},
    report::{TaskLine, after_run, open_question},
    run::{Detail, Phase, RunState},
    time::Timestamp,
    timeline::Timeline,
    usage::{MicroUsd, Usage},
    vocabulary::Kind,
};
use serde::Serialize;

use super::words::WordView;
use crate::{
    reporters::budget::{self, Caps},
    session::kept::KeptView,
};

/// What `--json` prints.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
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
    /// `None` if no agent reported it.
    pub(crate) cost_usd_micros: Option<MicroUsd>,
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
    #[serde(skip)]
    pub(crate) caps: Caps,
    #[serde(skip)]
    pub(crate) usage: Usage,
}

/// Limits; `None` where there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct CapsView {
    cost_usd: Option<f64>,
    tokens: Option<u64>,
    duration_ms: Option<u64>,
}

/// What a task has used in this run; the call under way is not counted yet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct UsedView {
    pub(super) id: String,
    cost_usd_micros: Option<MicroUsd>,
    cost_is_estimate: bool,
    tokens: u64,
    /// Time of its agents.
    agent_ms: u64,
    limits: CapsView,
    /// `T-002: $0.31 of $5`, where it is limited.
    #[serde(skip)]
    pub(crate) words: Option<String>,
}

/// One task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct TaskView {
    #[serde(flatten)]
    pub(crate) line: TaskLine,
    /// Attempts, with the one under way.
    pub(crate) tries: u32,
    pub(crate) commit: Option<String>,
    pub(crate) blocked_by: Option<String>,
    /// What people asked for about it and no run has taken yet.
    pub(crate) requests: Vec<&'static str>,
}

/// The last run, folded, and what somebody made of its plan since it ended.
pub(crate) struct LastRun<'a> {
    pub(crate) timeline: &'a Timeline,
    pub(crate) state: &'a RunState,
    pub(crate) edited: Option<Plan>,
    pub(crate) others_open: usize,
    pub(crate) running: bool,
    pub(crate) since: Since,
    pub(crate) now: Timestamp,
}

/// What became of a run's work since it ended, and what keeps it from continuing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Since {
    /// Its workspace can be opened again.
    pub(crate) can_resume: bool,
    /// A person has said what it waited for.
    pub(crate) is_asked: bool,
    /// Its branch is in the one that it came from.
    pub(crate) is_merged: bool,
    pub(crate) obstacles: Vec<Obstacle>,
}

impl StatusView {
    /// From a plan that no run is known of.
    pub(crate) fn of_plan(plan: &Plan, obstacles: Vec<Obstacle>) -> Self {
        let tasks = task_views(plan, None);
        let counts = counts(plan.tasks.iter(), &tasks);
        let next = next(&Situation { obstacles, work: work_of_plan(plan) });
        Self { v: 1, counts, tasks, next, ..Self::default() }
    }

    /// Without a plan and without a run.
    pub(crate) fn empty(work: Work, obstacles: Vec<Obstacle>) -> Self {
        Self { v: 1, next: next(&Situation { obstacles, work }), ..Self::default() }
    }

    /// From the last run, and from the plan that holds now: the run's, or the file's where somebody changed it.
    pub(crate) fn of_run(last: &LastRun<'_>) -> Self {
        let LastRun { state, edited, others_open, .. } = last;
        let own = state.plan_view();
        let plan = edited.as_ref().unwrap_or(&own);
        let tasks = task_views(plan, Some(state));
        let selected = plan.tasks.iter().filter(|task| state.start.source.selects(&task.id));
        let next = next(&last.situation(plan));
        Self {
            v: 1,
            run: Some(RunView::of(last)),
            counts: counts(selected, &tasks),
            others_open: *others_open,
            tasks,
            next,
            ..Self::default()
        }
    }
}

impl LastRun<'_> {
    /// What is true now.
    fn situation(&self, plan: &Plan) -> Situation {
        let Self { timeline, state, since, .. } = self;
        let outcome = match (self.running, state.outcome()) {
            (true, _) if timeline.paused_since().is_some() => return plain(Work::Paused),
            (true, _) => return plain(Work::Running { question: open_question(state) }),
            (false, None) => return plain(Work::Died),
            (false, Some(outcome)) => outcome,
        };
        let is_over = *outcome != Outcome::Done && !since.can_resume;
        let work = if since.is_asked {
            Work::Resumable
        } else if *outcome == Outcome::Done && self.others_open > 0 {
            Work::Planned
        } else if self.edited.is_some() || is_over {
            work_of_plan(plan)
        } else {
            self.left_as(outcome)
        };
        Situation { obstacles: since.obstacles.clone(), work }
    }

    /// Where the run left the work, with what became of it since.
    fn left_as(&self, outcome: &Outcome) -> Work {
        match after_run(self.state, outcome).work {
            Work::Finished(result) => Work::Finished(FinishedWork {
                has_commits: result.has_commits && !self.since.is_merged,
                ..result
            }),
            // What git refused then is what it refuses now, or it was put right.
            Work::Prevented { .. }
                if matches!(outcome, Outcome::Workspace { .. })
                    && !self.since.obstacles.is_empty() =>
            {
                Work::Resumable
            }
            work => work,
        }
    }
}

impl RunView {
    fn of(last: &LastRun<'_>) -> Self {
        let LastRun { timeline, state, running, now, .. } = last;
        let now = if *running { *now } else { state.last_at };
        let caps = budget::of_run(timeline);
        Self {
            id: state.run.0.clone(),
            running: *running,
            began: state.started_at,
            last: state.last_at,
            branch: state.start.branch.clone(),
            iterations: state.counters.iterations,
            max_iterations: state.start.max_iterations,
            rejected: state.counters.rejected,
            cost_usd_micros: state.usage.known_cost(),
            cost_is_estimate: state.usage.is_estimate,
            tokens: state.usage.tokens(),
            took_ms: timeline.took(now).0,
            limits: CapsView::of(&caps),
            task: UsedView::under_way(state),
            waiting_until: timeline.waiting.as_ref().map(|(until, _)| *until),
            paused_since: timeline.paused_since(),
            is_to_pause: timeline.is_to_pause(),
            steering: state.steering.words.iter().filter_map(WordView::held).collect(),
            outcome: state.how_it_ended(),
            exit_code: state.outcome().map(|outcome| state.start.exit_code(outcome)),
            caps,
            usage: state.usage,
        }
    }
}

impl CapsView {
    /// Those that are set.
    fn of(caps: &Caps) -> Self {
        Self {
            cost_usd: Some(caps.usd).filter(|usd| *usd > 0.0),
            tokens: Some(caps.tokens).filter(|tokens| *tokens > 0),
            duration_ms: Some(caps.time.0).filter(|time| *time > 0),
        }
    }
}

impl UsedView {
    /// The task that an iteration is about now.
    fn under_way(state: &RunState) -> Option<Self> {
        let Phase::Iterating(iteration) = &state.phase else { return None };
        let detail = state.detail(iteration.task);
        let (usage, time) = detail.map(|detail| (detail.usage, detail.time)).unwrap_or_default();
        let id = state.task_id(iteration.task);
        let caps = Caps::of_task(&state.start.settings.limits);
        Some(Self {
            words: caps.used(&usage, time).map(|used| format!("{id}: {used}")),
            id: id.0,
            cost_usd_micros: usage.known_cost(),
            cost_is_estimate: usage.is_estimate,
            tokens: usage.tokens(),
            agent_ms: time.0,
            limits: CapsView::of(&caps),
        })
    }
}

fn counts<'a>(tasks: impl Iterator<Item = &'a Task>, views: &[TaskView]) -> CountsView {
    let counts = StatusCounts::of(tasks.map(|task| task.status));
    let imported = Label::ImportedAsDone.describe();
    CountsView {
        total: counts.total,
        done: counts.done,
        imported: views.iter().filter(|task| task.line.labels.contains(&imported)).count(),
        skipped: counts.skipped,
        failed: counts.failed,
        parked: counts.parked,
        open: counts.open(),
    }
}

fn next(situation: &Situation) -> String {
    next_command(situation).to_string()
}

fn plain(work: Work) -> Situation {
    Situation { obstacles: Vec::new(), work }
}

/// Where the work is by the plan alone. No run is there that could take an answer or an approval.
fn work_of_plan(plan: &Plan) -> Work {
    let is_open = |task: &&Task| !task.status.satisfies();
    let needs = |task: &&Task| matches!(task.status, Status::Parked | Status::Failed);
    let open: Vec<&Task> = plan.tasks.iter().filter(is_open).collect();
    match open.iter().copied().find(needs) {
        _ if plan.tasks.is_empty() => Work::NothingPlanned,
        _ if open.is_empty() => {
            Work::Finished(FinishedWork { has_plan: true, ..FinishedWork::default() })
        }
        Some(task) if open.iter().all(needs) => Work::Person(Need::GivenUp(task.id.clone())),
        _ => Work::Planned,
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
            let line = TaskLine::of(task, known);
            let is_tried = state.is_some_and(|state| is_tried(state, &task.id));
            TaskView {
                tries: line.attempts + u32::from(is_tried),
                line,
                commit: known
                    .and_then(|detail| detail.commits.last())
                    .map(|commit| commit.short().to_owned()),
                blocked_by: blocked.get(&at).map(|on| on.0.clone()),
                requests: Vec::new(),
            }
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

/// What a run knows about a task, as long as the task still has the status in which the run left it.
fn known<'a>(state: &'a RunState, task: &Task) -> Option<&'a Detail> {
    let at = state.position(&task.id)?;
    state.detail(at).filter(|_| state.tasks.get(at).is_some_and(|p| p.status == task.status))
}
