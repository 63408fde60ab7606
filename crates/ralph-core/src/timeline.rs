//! A run as it unfolds, for everything that shows one: the machine's own state, and beside it what only people
//! look at. Folds decisions; decides and renders nothing.

mod iterations;
mod step;

use std::collections::BTreeMap;

pub use iterations::{Iteration, Iterations, Older, Wait};
pub use step::{Step, result};

use crate::{
    ending::Ending,
    event::{Decision, Event, IterationStart, Rejection, RunStart, Source},
    evidence::Judged,
    gates::{
        baseline,
        report::{GateReport, GateResults, GateSpec, Severity},
    },
    ids::{RunId, TaskId},
    outcome::Outcome,
    plan::{Plan, Status, StatusCounts, Task, amend::Ruled, blocked},
    run::{Detail, Phase, RunState},
    time::{Millis, Timestamp},
    usage::Usage,
    verdict::Verdict,
};

/// A run so far.
#[derive(Debug, Clone, Default)]
pub struct Timeline {
    state: Option<Box<RunState>>,
    /// Tasks that something happened to.
    pub tasks: BTreeMap<TaskId, TaskTimeline>,
    /// Of the tasks that the run is about; zero for a prompt. Kept by moves, since plans can be huge.
    pub counts: StatusCounts,
    /// Tasks that the run finished.
    finished: u64,
    /// All iterations and waits in time.
    pub history: Iterations,
    /// The newest iteration.
    pub current: Option<Current>,
    /// Until when it waits, and why.
    pub waiting: Option<(Timestamp, String)>,
    /// Proposals that had to wait for a person, by number, decided ones included.
    pub proposals: BTreeMap<u32, Ruled>,
    /// Commits on the run branch.
    pub commits: u32,
    /// There is a newer run, so that this one must be named to be meant.
    pub is_older: bool,
    /// It is on another machine: nothing that is typed here continues it.
    pub is_elsewhere: bool,
}

/// What happened to a task, beyond what the machine has to remember of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TaskTimeline {
    /// Every iteration, oldest first.
    pub steps: Vec<Step>,
    /// Time of gates and checks.
    pub gate_time: Millis,
    /// Each gate of the last judgement, and whether it passed.
    pub gates: Vec<(String, bool)>,
    /// Ref of the last rejected attempt.
    pub kept: Option<String>,
    /// How often in a row the last failure was seen.
    pub same_failure: u32,
    fingerprint: String,
    /// Whether the last review approved.
    pub reviewed: Option<bool>,
    /// Commits of it that are on the run branch.
    commits: u32,
}

impl TaskTimeline {
    /// Each attempt and the iteration it was made in, oldest first.
    pub fn attempts(&self) -> Vec<(u32, u32)> {
        let made = self.steps.iter().filter_map(|step| Some((step.attempt?, step.iteration)));
        let mut attempts: Vec<(u32, u32)> = made.collect();
        attempts.dedup();
        attempts
    }
}

/// An iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct Current {
    pub start: IterationStart,
    pub at: Timestamp,
    /// How its agent ended; `None` while it works.
    pub ending: Option<Ending>,
    pub gates: GateResults,
    pub verdict: Option<Verdict>,
}

impl Timeline {
    /// What the machine's state alone tells, for whoever has not folded the decisions yet.
    pub fn of_state(state: RunState) -> Self {
        let proposals = state.proposals.clone();
        Self { counts: counts(&state), proposals, state: Some(Box::new(state)), ..Self::default() }
    }

    /// Folds one decision.
    pub fn apply(&mut self, decision: &Decision) {
        match &mut self.state {
            Some(state) => state.apply(decision),
            None => self.state = RunState::fold([decision]).map(Box::new),
        }
        for event in &decision.events {
            self.fold(event, decision.at);
        }
        self.history.apply(decision);
        if decision.events.iter().any(changes_plan) {
            self.counts = self.state.as_deref().map(counts).unwrap_or_default();
        }
    }

    fn fold(&mut self, event: &Event, at: Timestamp) {
        if let (Some(result), Some(current)) = (result(event), &self.current)
            && let Some(task) = self.tasks.get_mut(&current.start.task)
            && let Some(step) = task.steps.last_mut()
        {
            step.result = result;
        }
        match event {
            Event::RunStarted(_) | Event::AmendmentsRuled { .. } => {
                let waiting = self.state.iter().flat_map(|state| &state.proposals);
                self.proposals.extend(waiting.map(|(number, one)| (*number, one.clone())));
            }
            Event::IterationStarted(start) => self.iteration(start, at),
            // Its call belongs to no task.
            Event::CompactionBegan(_) => self.current = None,
            Event::AgentEnded(report) => {
                if let Some(current) = &mut self.current {
                    current.ending = Some(report.ending.clone());
                }
            }
            Event::GatesRan { results, .. } => self.gates(results),
            Event::VerdictReached(verdict) => {
                if let Some(current) = &mut self.current {
                    current.verdict = Some(verdict.clone());
                }
            }
            Event::Committed { task, .. } => {
                self.commits += 1;
                self.task(task).commits += 1;
            }
            Event::TaskMoved { task, from, to, .. } => {
                self.task(task);
                if self.counts.total > 0 && self.is_about(task) {
                    self.counts.moved(*from, *to);
                    self.finished += u64::from(to.satisfies());
                }
            }
            Event::AttemptRejected(rejection) => self.rejected(rejection),
            Event::WorkKept { task, .. } => self.work_kept(task),
            Event::Reviewed(reviewed) => {
                self.task(&reviewed.task).reviewed = Some(reviewed.judgement.approved);
            }
            Event::TaskReset { task } => {
                let task = self.task(task);
                let (steps, gate_time) = (std::mem::take(&mut task.steps), task.gate_time);
                *task = TaskTimeline { steps, gate_time, ..TaskTimeline::default() };
            }
            Event::WaitBegan { until, why } => self.waiting = Some((*until, why.clone())),
            Event::WaitEnded | Event::RunEnding { .. } | Event::RunFinished { .. } => {
                self.waiting = None;
            }
            _ => {}
        }
    }

    fn task(&mut self, id: &TaskId) -> &mut TaskTimeline {
        self.tasks.entry(id.clone()).or_default()
    }

    fn iteration(&mut self, start: &IterationStart, at: Timestamp) {
        self.task(&start.task).steps.push(Step::begun(start));
        self.current = Some(Current {
            start: start.clone(),
            at,
            ending: None,
            gates: GateResults::default(),
            verdict: None,
        });
    }

    fn gates(&mut self, results: &GateResults) {
        let passed = results.gates.iter().map(|gate| (gate.gate.clone(), self.passed(gate)));
        let passed = passed.collect();
        let Some(current) = &mut self.current else { return };
        current.gates = results.clone();
        let task = self.tasks.entry(current.start.task.clone()).or_default();
        task.gates = passed;
        task.gate_time = task.gate_time.plus(iterations::time_of(results));
    }

    fn rejected(&mut self, rejection: &Rejection) {
        let task = self.task(&rejection.task);
        task.kept.clone_from(&rejection.kept);
        let is_same = task.fingerprint == rejection.fingerprint;
        task.same_failure = if is_same { task.same_failure + 1 } else { 1 };
        task.fingerprint.clone_from(&rejection.fingerprint);
    }

    /// The run branch went back to where the task began; a prompt's accepted rounds stay on it.
    fn work_kept(&mut self, task: &TaskId) {
        if !self.is_prompt() {
            let taken = std::mem::take(&mut self.task(task).commits);
            self.commits = self.commits.saturating_sub(taken);
        }
    }
}

/// What is known now.
impl Timeline {
    /// The machine's state; `None` before the run has started.
    pub fn state(&self) -> Option<&RunState> {
        self.state.as_deref()
    }

    /// What the run began with, and what was changed of that since.
    pub fn start(&self) -> Option<&RunStart> {
        self.state().map(|state| &*state.start)
    }

    /// The run's name; empty before it has started.
    pub fn run(&self) -> RunId {
        self.state().map(|state| state.run.clone()).unwrap_or_default()
    }

    /// When the last decision was taken.
    pub fn last(&self) -> Timestamp {
        self.state().map(|state| state.last_at).unwrap_or_default()
    }

    /// Whether it works on a prompt.
    pub fn is_prompt(&self) -> bool {
        self.start().is_some_and(|start| matches!(start.source, Source::Prompt { .. }))
    }

    /// The plan with all that was added and changed; statuses are those of the start.
    pub fn plan(&self) -> Option<&Plan> {
        self.start().map(|start| &*start.plan)
    }

    /// Iterations that count, and how many there may be.
    pub fn iterations(&self) -> (u32, u32) {
        self.state()
            .map(|state| (state.counters.iterations, state.start.max_iterations))
            .unwrap_or_default()
    }

    /// What all calls used together.
    pub fn usage(&self) -> Usage {
        self.state().map(|state| state.usage).unwrap_or_default()
    }

    /// What the machine knows of a task that was begun.
    pub fn detail(&self, task: &TaskId) -> Option<&Detail> {
        let state = self.state()?;
        state.detail(state.position(task)?)
    }

    /// A task's status.
    pub fn status(&self, task: &TaskId) -> Option<Status> {
        let state = self.state()?;
        state.tasks.get(state.position(task)?).map(|progress| progress.status)
    }

    /// A task's title; empty if the plan does not know it.
    pub fn title(&self, task: &TaskId) -> &str {
        let task = self.state().and_then(|state| state.task(state.position(task)?));
        task.map_or("", |task| &task.title)
    }

    /// Open tasks that wait for one that failed or is parked, with the one they wait for.
    pub fn blocked(&self) -> Vec<(&Task, &TaskId)> {
        let Some(state) = self.state() else { return Vec::new() };
        let tasks = &state.start.plan.tasks;
        let causes = blocked(tasks, |at| state.tasks.get(at).map(|p| p.status).unwrap_or_default());
        causes.into_iter().filter_map(|(at, on)| Some((tasks.get(at)?, on))).collect()
    }

    fn is_about(&self, task: &TaskId) -> bool {
        self.start().is_some_and(|start| start.source.selects(task))
    }

    /// How many tasks of the plan the run is not about, and are not finished.
    pub fn others_open(&self) -> usize {
        let tasks = self.plan().map_or(&[][..], |plan| &plan.tasks).iter();
        let others = tasks.filter(|task| !self.is_about(&task.id));
        others.filter(|task| !self.status(&task.id).is_some_and(Status::satisfies)).count()
    }

    /// How the run ended, as a sentence.
    pub fn describe(&self, outcome: &Outcome) -> String {
        let status = |task: &Task| self.status(&task.id).unwrap_or(task.status);
        self.start().map_or_else(|| outcome.describe(), |start| start.describe(outcome, status))
    }

    /// Since when a person has it paused.
    pub fn paused_since(&self) -> Option<Timestamp> {
        match self.state()?.phase {
            Phase::Paused { since } => Some(since),
            _ => None,
        }
    }

    /// Whether it pauses once the iteration is over.
    pub fn is_to_pause(&self) -> bool {
        self.state().is_some_and(|state| state.steering.pause) && self.paused_since().is_none()
    }

    /// How long the run has worked, as its limit counts: without pauses, and without the time in which no process
    /// held it.
    pub fn took(&self, now: Timestamp) -> Millis {
        self.state().map(|state| state.worked(now)).unwrap_or_default()
    }

    /// How long the run will still take at the present pace.
    pub fn time_left(&self, now: Timestamp) -> Option<Millis> {
        let open = u64::try_from(self.counts.open()).ok().filter(|open| *open > 0)?;
        let each = self.took(now).0.checked_div(self.finished)?;
        Some(Millis(each.saturating_mul(open)))
    }

    /// Whether a gate passed, by the same questions as the verdict asks.
    pub fn passed(&self, gate: &GateReport) -> bool {
        (gate.end.succeeded() || gate.flaky) && !self.ran_no_test(gate)
    }

    /// Whether a gate succeeded, but ran no test though it must.
    pub fn ran_no_test(&self, gate: &GateReport) -> bool {
        let is_empty = |spec: &GateSpec| baseline::ran_no_test(gate, spec);
        gate.end.succeeded() && self.spec(gate).is_some_and(is_empty)
    }

    /// Whether a gate only reports.
    pub fn is_soft(&self, gate: &GateReport) -> bool {
        self.spec(gate).is_some_and(|spec| spec.severity == Severity::Soft)
    }

    fn spec(&self, gate: &GateReport) -> Option<&GateSpec> {
        self.start()?.gates.iter().find(|spec| spec.name == gate.gate)
    }
}

/// How many criteria a check proved or a reviewer saw to be met.
pub fn proved(detail: &Detail) -> usize {
    let is_proof =
        |by: &Judged| matches!(by, Judged::Check { .. } | Judged::Reviewer { met: true, .. });
    detail.evidence.iter().filter(|one| is_proof(&one.by)).count()
}

/// Whether tasks may have come or gone.
fn changes_plan(event: &Event) -> bool {
    matches!(
        event,
        Event::RunStarted(_)
            | Event::AmendmentsRuled { .. }
            | Event::ProposalDecided { .. }
            | Event::PlanChanged { .. }
    )
}

fn counts(state: &RunState) -> StatusCounts {
    match state.start.source {
        Source::Prompt { .. } | Source::Planning { .. } => StatusCounts::default(),
        Source::Plan | Source::Tasks { .. } => {
            let selected = state.selected();
            let of = |at: usize| state.tasks.get(at).map(|progress| progress.status);
            StatusCounts::of(selected.into_iter().filter_map(of))
        }
    }
}
