//! The run so far, folded from its decisions: what every face counts from. Decides and prints nothing.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

mod gates;
mod pause;
mod plan;

pub(crate) use pause::Pause;

use ralph_core::gates::report::GateResults;
use ralph_core::{
    ending::Ending,
    event::{Decision, Event, IterationStart, Rejection, Reviewed, RunStart, Source},
    evidence::{Evidence, Judged, Label},
    ids::{CommitId, RunId, TaskId},
    input::{AgentReport, Captured, Workspace},
    isolation::Isolation,
    outcome::Outcome,
    plan::{Plan, Status, Task, amend::Ruled},
    time::{Millis, Timestamp},
    usage::Usage,
    verdict::Verdict,
    vocabulary::Kind,
};

use super::{budget::Caps, counts::Counts};

/// What was done about one task. Tasks nobody touched have no row, so that huge plans cost nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Row {
    pub(crate) title: String,
    pub(crate) status: Option<Status>,
    pub(crate) why: String,
    /// Attempt and the iteration it was made in, oldest first.
    pub(crate) tries: Vec<(u32, u32)>,
    /// Time of agents and gates.
    pub(crate) spent: Millis,
    /// Time of agents alone, which is what a task's limit is about.
    pub(crate) worked: Millis,
    pub(crate) usage: Usage,
    pub(crate) commit: Option<CommitId>,
    /// Commits of it that are on the run branch.
    commits: u32,
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) labels: Vec<Label>,
    /// Each gate of the last judgement, and whether it passed.
    pub(crate) gates: Vec<(String, bool)>,
    /// Branch that holds given-up work.
    pub(crate) branch: Option<String>,
    /// Ref of the last rejected attempt.
    pub(crate) kept: Option<String>,
    pub(crate) fingerprint: String,
    /// Reviews that gave a verdict.
    pub(crate) reviews: u32,
    /// Whether the last review approved.
    pub(crate) reviewed: Option<bool>,
    /// What its agent asked, until it is answered.
    pub(crate) question: Option<String>,
    /// It was parked because its agent kept failing, and no person has decided about it since.
    pub(crate) agent_failed: bool,
    /// How often in a row the last failure was seen.
    pub(crate) same_failure: u32,
    /// Files of accepted work that run by themselves or need a second look, and how many more there are.
    pub(crate) exposed: BTreeSet<String>,
    pub(crate) exposed_more: u64,
}

impl Row {
    /// Criteria that a check proved or a reviewer saw to be met.
    pub(crate) fn proved(&self) -> usize {
        let is_proof =
            |by: &Judged| matches!(by, Judged::Check { .. } | Judged::Reviewer { met: true, .. });
        self.evidence.iter().filter(|one| is_proof(&one.by)).count()
    }
}

/// The iteration in flight.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Current {
    pub(crate) start: IterationStart,
    pub(crate) at: Timestamp,
    pub(crate) ending: Option<Ending>,
    pub(crate) gates: GateResults,
    pub(crate) verdict: Option<Verdict>,
    /// What the tree would change that needs a second look, and how many more there are.
    touched: (Vec<String>, u64),
}

/// The run so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    pub(crate) run: RunId,
    /// Holds [`RunStart`] without copying the plan.
    start: Option<Arc<Decision>>,
    /// The plan, once it is another than at the start.
    changed: Option<Box<Plan>>,
    /// Proposals that had to wait for a person, by number, decided ones included.
    pub(crate) proposals: BTreeMap<u32, Ruled>,
    /// How many of them a person has decided on.
    decided: usize,
    pub(crate) began: Timestamp,
    pub(crate) last: Timestamp,
    /// How long no process held the run, pauses left out.
    idle: Millis,
    pub(crate) counts: Counts,
    pub(crate) rows: BTreeMap<TaskId, Row>,
    pub(crate) usage: Usage,
    pub(crate) tools: u64,
    pub(crate) tool_errors: u64,
    pub(crate) iterations: u32,
    pub(crate) rejected: u32,
    pub(crate) commits: u32,
    /// Tasks that were finished by this run.
    finished: u64,
    pub(crate) max_iterations: u32,
    /// What keeps the agents in now.
    pub(crate) isolation: Isolation,
    pub(crate) current: Option<Current>,
    pub(crate) workspace: Option<Workspace>,
    pub(crate) waiting: Option<(Timestamp, String)>,
    pub(crate) pause: Pause,
    /// Agents that are not called before then, and why.
    pub(crate) resting: BTreeMap<String, (Option<Timestamp>, String)>,
    pub(crate) outcome: Option<Outcome>,
}

impl Tally {
    /// The run's start, once it is known.
    pub(crate) fn start(&self) -> Option<&RunStart> {
        let decision = self.start.as_ref()?;
        decision.events.iter().find_map(|event| match event {
            Event::RunStarted(start) => Some(&**start),
            _ => None,
        })
    }

    /// Folds one decision.
    pub(crate) fn apply(&mut self, decision: &Arc<Decision>) {
        for event in &decision.events {
            self.note(decision, event);
        }
    }

    /// Folds one event of a decision.
    pub(crate) fn note(&mut self, decision: &Arc<Decision>, event: &Event) {
        let before = std::mem::replace(&mut self.last, decision.at);
        if let Event::RunStarted(start) = event {
            self.begin(decision, start);
        } else {
            if matches!(event, Event::RunResumed { .. }) && self.pause.since.is_none() {
                self.idle = self.idle.plus(decision.at.since(before));
            }
            self.fold(event, decision.at);
        }
    }

    fn begin(&mut self, decision: &Arc<Decision>, start: &RunStart) {
        self.run = decision.run.clone();
        self.began = decision.at;
        self.start = Some(decision.clone());
        self.max_iterations = start.max_iterations;
        self.isolation = start.isolation.clone();
        self.proposals = start.proposals.iter().cloned().collect();
        self.counts = match &start.source {
            Source::Plan | Source::Tasks { .. } => {
                let tasks = start.plan.tasks.iter();
                Counts::of(tasks.filter(|task| start.source.selects(&task.id)))
            }
            Source::Prompt { .. } | Source::Planning { .. } => Counts::default(),
        };
    }

    fn fold(&mut self, event: &Event, at: Timestamp) {
        match event {
            Event::RunResumed { max_iterations, .. } => {
                self.outcome = None;
                self.pause.ended(at);
                self.max_iterations = max_iterations.unwrap_or(self.max_iterations);
            }
            Event::IsolationChanged { isolation } => self.isolation = isolation.clone(),
            Event::WorkspaceOpened(workspace) => self.workspace = Some(workspace.clone()),
            Event::IterationStarted(start) => self.iteration(start, at),
            Event::AgentEnded(report) => self.agent(report),
            Event::GatesRan { results, .. } => self.gates(results),
            Event::TreeCaptured(captured) => self.captured(captured),
            Event::AttemptAccepted { task, .. } => self.attempt_accepted(task),
            Event::VerdictReached(verdict) => {
                if let Some(current) = &mut self.current {
                    current.verdict = Some(verdict.clone());
                }
            }
            Event::Committed { task, commit, .. } => {
                self.commits += 1;
                let row = self.row(task);
                row.commit = Some(commit.clone());
                row.commits += 1;
            }
            Event::EvidenceRecorded { task, evidence, labels } => {
                let row = self.row(task);
                row.evidence.clone_from(evidence);
                row.labels.clone_from(labels);
            }
            Event::TaskMoved { task, from, to, why, .. } => self.moved(task, (*from, *to), why),
            Event::AttemptRejected(rejection) => self.attempt_rejected(rejection),
            // Its call belongs to no task.
            Event::CompactionBegan(_) => self.current = None,
            Event::WaitBegan { until, why } => self.waiting = Some((*until, why.clone())),
            Event::WaitEnded => self.waiting = None,
            Event::PauseRequested { .. } | Event::Paused | Event::Unpaused => {
                self.pause.fold(event, at);
            }
            Event::AgentRested { agent, until, why, .. } => {
                self.resting.insert(agent.clone(), (*until, why.clone()));
            }
            Event::WorkKept { task, branch, .. } => self.work_kept(task, branch),
            Event::AmendmentsRuled { .. }
            | Event::ProposalDecided { .. }
            | Event::PlanChanged { .. } => self.plan_event(event),
            Event::TaskReset { task } => self.reset(task),
            Event::QuestionAsked { task, question, in_passing } if !in_passing => {
                self.row(task).question = Some(question.clone());
            }
            Event::AgentKeptFailing { task, .. } => self.row(task).agent_failed = true,
            Event::AnswerGiven { task, .. } => self.answered(task),
            Event::ApprovalGiven { task } => self.row(task).agent_failed = false,
            Event::Reviewed(reviewed) => self.reviewed(reviewed),
            Event::RunEnding { outcome } | Event::RunFinished { outcome, .. } => {
                self.waiting = None;
                self.pause.ended(at);
                self.outcome = Some(outcome.clone());
            }
            Event::RunStarted(_)
            | Event::BaselineRecorded { .. }
            | Event::PromptRead { .. }
            | Event::CheckpointTaken(_)
            | Event::ScmTasksRan { .. }
            | Event::CallSetAside(_)
            | Event::Proceeded { .. }
            | Event::IterationClosed
            | Event::RequestTaken { .. }
            | Event::AmendmentsProposed { .. }
            | Event::QuestionAsked { .. }
            | Event::WorkReapplied { .. }
            | Event::ReviewUnusable { .. }
            | Event::PlanDrafted(_)
            | Event::DraftUnusable { .. }
            | Event::Escalated { .. }
            | Event::StopRequested { .. }
            | Event::Steered { .. }
            | Event::MemoryCompacted(_)
            | Event::Warned { .. } => {}
        }
    }

    fn answered(&mut self, task: &TaskId) {
        let row = self.row(task);
        row.question = None;
        row.agent_failed = false;
    }

    fn reviewed(&mut self, reviewed: &Reviewed) {
        let row = self.row(&reviewed.task);
        row.reviews = reviewed.review;
        row.reviewed = Some(reviewed.judgement.approved);
    }

    fn captured(&mut self, captured: &Captured) {
        if let Some(current) = &mut self.current {
            let paths = captured.touched.iter().map(|one| one.path.clone());
            current.touched = (paths.collect(), captured.touched_left_out);
        }
    }

    fn attempt_accepted(&mut self, task: &TaskId) {
        let touched = self.current.as_mut().map(|current| std::mem::take(&mut current.touched));
        let (paths, more) = touched.unwrap_or_default();
        let row = self.row(task);
        row.exposed.extend(paths);
        row.exposed_more += more;
    }

    fn attempt_rejected(&mut self, rejection: &Rejection) {
        self.rejected += 1;
        let row = self.row(&rejection.task);
        row.kept.clone_from(&rejection.kept);
        row.same_failure =
            if row.fingerprint == rejection.fingerprint { row.same_failure + 1 } else { 1 };
        row.fingerprint.clone_from(&rejection.fingerprint);
    }

    /// The run branch went back to where the task began; a prompt's accepted rounds stay on it.
    fn work_kept(&mut self, task: &TaskId, branch: &str) {
        let is_prompt =
            self.start().is_some_and(|start| matches!(start.source, Source::Prompt { .. }));
        let row = self.row(task);
        row.branch = Some(branch.to_owned());
        if !is_prompt {
            let taken = std::mem::take(&mut row.commits);
            self.commits = self.commits.saturating_sub(taken);
        }
    }

    fn row(&mut self, task: &TaskId) -> &mut Row {
        self.rows.entry(task.clone()).or_default()
    }

    fn iteration(&mut self, start: &IterationStart, at: Timestamp) {
        self.iterations = self.iterations.max(start.iteration);
        let row = self.row(&start.task);
        row.title.clone_from(&start.title);
        let made = (start.attempt, start.iteration);
        let is_attempt = matches!(start.kind, Kind::Implement | Kind::Fix | Kind::Prompt);
        if is_attempt && row.tries.last() != Some(&made) {
            row.tries.push(made);
        }
        self.current = Some(Current {
            start: start.clone(),
            at,
            ending: None,
            gates: GateResults::default(),
            verdict: None,
            touched: (Vec::new(), 0),
        });
    }

    fn agent(&mut self, report: &AgentReport) {
        self.usage.add(report.usage);
        self.tools += u64::from(report.tools);
        self.tool_errors += u64::from(report.tool_errors);
        if let Some(current) = &mut self.current {
            current.ending = Some(report.ending.clone());
            let row = self.rows.entry(current.start.task.clone()).or_default();
            row.usage.add(report.usage);
            row.spent = row.spent.plus(report.took);
            row.worked = row.worked.plus(report.took);
        }
    }

    fn gates(&mut self, results: &GateResults) {
        let passed = results.gates.iter().map(|gate| (gate.gate.clone(), self.passed(gate)));
        let passed = passed.collect();
        let Some(current) = &mut self.current else {
            return;
        };
        current.gates = results.clone();
        let row = self.rows.entry(current.start.task.clone()).or_default();
        row.gates = passed;
        let took = results.gates.iter().map(|g| g.took);
        for took in took.chain(results.checks.iter().map(|c| c.took)) {
            row.spent = row.spent.plus(took);
        }
    }

    fn moved(&mut self, task: &TaskId, (from, to): (Status, Status), why: &str) {
        let row = self.row(task);
        row.status = Some(to);
        why.clone_into(&mut row.why);
        if self.is_about(task) {
            self.counts.moved(from, to);
            self.finished += u64::from(to.satisfies());
        }
    }

    /// A task's status: where it was moved to, else what the plan said.
    pub(crate) fn status_of(&self, task: &Task) -> Status {
        self.rows.get(&task.id).and_then(|row| row.status).unwrap_or(task.status)
    }

    /// What the run may use.
    pub(crate) fn caps(&self) -> Caps {
        self.start().map(|start| Caps::of_run(&start.settings.limits)).unwrap_or_default()
    }

    /// What a task has used of its own limits, with what is under way and not counted yet.
    pub(crate) fn task_used(&self, task: &TaskId, spent: Usage, took: Millis) -> Option<String> {
        let caps = Caps::of_task(&self.start()?.settings.limits);
        let (mut usage, mut worked) =
            self.rows.get(task).map(|row| (row.usage, row.worked)).unwrap_or_default();
        usage.add(spent);
        worked = worked.plus(took);
        caps.used(&usage, worked)
    }

    /// How long the run has worked, as its limit counts: without pauses, and without the time in which no process
    /// held it.
    pub(crate) fn took(&self, now: Timestamp) -> Millis {
        let unused = self.pause.total(now).plus(self.idle);
        Millis(now.since(self.began).0.saturating_sub(unused.0))
    }

    /// How long the run will still take if it goes on like this.
    pub(crate) fn time_left(&self, now: Timestamp) -> Option<Millis> {
        let open = u64::try_from(self.counts.open()).ok().filter(|n| *n > 0)?;
        let each = self.took(now).0.checked_div(self.finished)?;
        Some(Millis(each.saturating_mul(open)))
    }
}

/// Belongs to a task's line wherever it stands in a decision, so it is folded first.
pub(crate) fn is_detail(event: &Event) -> bool {
    matches!(
        event,
        Event::Committed { .. } | Event::EvidenceRecorded { .. } | Event::WorkKept { .. }
    )
}
