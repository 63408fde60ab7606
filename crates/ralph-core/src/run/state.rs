//! The state of a run: a fold of its decisions, bounded, serialisable, and nothing that is not in them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Blame, Detail, Planning, Steering, TaskProgress, Warnings, index::PlanIndex};
use crate::{
    event::{Decision, Event, RunStart, Source, StopHow},
    gates::report::{GateReport, GateResults},
    ids::{CommitId, RunId, TaskId, TreeId},
    input::{AgentReport, Captured, CheckpointTaken, Workspace},
    isolation::{Isolation, Traffic},
    memory::{Memory, compaction::CompactionStart},
    outcome::Outcome,
    plan::{
        Task,
        amend::{Proposal, Ruled},
    },
    time::{Millis, Timestamp},
    usage::Usage,
    verdict::Verdict,
    vocabulary::{Kind, Stage},
};

/// Everything known about a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    pub run: RunId,
    /// Decisions folded so far.
    pub seq: u64,
    /// Effects that ended; names the one in flight.
    pub effects: u64,
    pub started_at: Timestamp,
    pub last_at: Timestamp,
    /// How long no process worked on it: between a crash or an end and the next start.
    #[serde(default)]
    pub idle: Millis,
    pub start: Box<RunStart>,
    /// Beside `start.plan.tasks`, in the same order.
    pub tasks: Vec<TaskProgress>,
    pub workspace: Option<Workspace>,
    /// Where the run branch is.
    pub head: CommitId,
    /// Its tree.
    pub head_tree: TreeId,
    /// What the gates said before any work, tightened as they turn green.
    pub baseline: Option<Vec<GateReport>>,
    pub phase: Phase,
    /// When the last iteration was over.
    pub iteration_closed_at: Option<Timestamp>,
    pub counters: Counters,
    pub usage: Usage,
    pub stop: Option<StopHow>,
    /// The task under way.
    pub current: Option<usize>,
    /// The iteration that must run again, uncharged.
    pub again: Option<Again>,
    /// What a run that ended too early continues with once it is resumed.
    pub suspended: Option<Box<Phase>>,
    /// Requests already taken.
    pub taken: BTreeSet<String>,
    /// A prompt run's text.
    pub prompt: String,
    /// Changes of the plan that agents proposed and a person must decide on, by number.
    pub proposals: BTreeMap<u32, Ruled>,
    /// Numbers given to proposals so far.
    pub proposals_numbered: u32,
    /// Why the last proposals were refused, for the next brief.
    pub refused: Vec<String>,
    /// Fingerprint that ended the last failed task; forgotten once work is accepted.
    pub last_failure: Option<String>,
    /// How often each gate failed at first and passed when run again.
    pub flaky: BTreeMap<String, u32>,
    /// How often each gate that may fail did.
    #[serde(default)]
    pub soft_failures: BTreeMap<String, u32>,
    /// What it warned of.
    #[serde(default)]
    pub warnings: Warnings,
    /// Agents that are not called for a while, as `agent` or `agent:model`.
    #[serde(default)]
    pub resting: BTreeMap<String, Rest>,
    /// What calls that fail are put down to.
    #[serde(default)]
    pub blame: Blame,
    /// What people said to its agents, and whether it is to pause.
    #[serde(default)]
    pub steering: Steering,
    /// How far a planning run has come.
    #[serde(default)]
    pub planning: Planning,
    /// What is known from earlier iterations.
    #[serde(default)]
    pub memory: Memory,
    /// What kept its agents in before it was resumed with another backend, oldest first.
    #[serde(default)]
    pub earlier_isolations: Vec<Isolation>,
    /// What its agents and gates asked of the network.
    #[serde(default)]
    pub traffic: Traffic,
    /// What a person should know about how it ended.
    pub notes: Vec<String>,
    #[serde(skip)]
    pub(super) index: PlanIndex,
}

/// Counts that limits and the report look at.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Counters {
    /// Iterations that count.
    pub iterations: u32,
    /// Uncharged failures one after the other.
    pub uncharged_in_a_row: u32,
    /// Limits without a reset time one after the other.
    pub back_offs_in_a_row: u32,
    pub uncharged: u32,
    pub failed_in_a_row: u32,
    pub accepted: u32,
    pub rejected: u32,
    pub tools: u32,
    pub tool_errors: u32,
    /// Time agents took, reviewers included.
    pub agent_time: Millis,
    /// Time reviewers took.
    pub review_time: Millis,
    /// Time gates and checks took.
    pub gate_time: Millis,
    /// Iterations that were begun, by what they were for.
    pub kinds: BTreeMap<Kind, u32>,
    /// What each agent and each kind of iteration took.
    pub by_agent: BTreeMap<String, Spent>,
    pub by_kind: BTreeMap<Kind, Spent>,
    /// Tool calls that were not allowed.
    pub denials: u32,
    /// Changes of the plan that agents proposed and that were made.
    pub amended: u32,
    /// Changes of the plan that agents proposed and that were refused.
    pub amendments_refused: u32,
}

/// Why and how long an agent is not called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rest {
    /// `None`: until somebody resumes the run.
    pub until: Option<Timestamp>,
    pub why: String,
    /// Its work waits for it; else another agent takes it over.
    pub is_waited_for: bool,
}

/// What agents of one name did in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spent {
    pub calls: u32,
    pub usage: Usage,
    pub time: Millis,
}

/// What the run is doing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    /// Getting onto the branch; then the phase inside.
    Opening {
        then: Box<Phase>,
    },
    Baselining,
    /// Between iterations.
    Boundary,
    Iterating(Box<Iteration>),
    /// An agent compacts memory; whatever becomes of it, the run continues.
    Compacting(Box<CompactionStart>),
    Waiting {
        until: Timestamp,
    },
    /// A person wants nothing to start.
    Paused {
        since: Timestamp,
    },
    Closing {
        outcome: Outcome,
    },
    Finished {
        outcome: Outcome,
    },
}

/// One iteration under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Iteration {
    pub number: u32,
    pub retry: u32,
    pub kind: Kind,
    /// Position of its task.
    pub task: usize,
    /// Who works on it; empty where nobody was chosen yet.
    #[serde(default)]
    pub agent: String,
    #[serde(default)]
    pub model: String,
    pub stage: Stage,
    /// When it reached this stage; names what the stage leaves, so it must outlive a crash.
    pub stage_since: Timestamp,
    pub checkpoint: Option<CheckpointTaken>,
    pub report: Option<Box<AgentReport>>,
    pub captured: Option<Captured>,
    pub results: Option<GateResults>,
    pub verdict: Option<Verdict>,
    /// Changes of the plan that the agent asked for; ruled on once its work is accepted.
    pub proposed: Vec<Proposal>,
}

impl Iteration {
    /// An iteration that has done nothing yet.
    pub(super) fn new(kind: Kind, task: usize) -> Self {
        Self {
            number: 1,
            retry: 0,
            kind,
            task,
            agent: String::new(),
            model: String::new(),
            stage: Stage::Checkpoint,
            stage_since: Timestamp::default(),
            checkpoint: None,
            report: None,
            captured: None,
            results: None,
            verdict: None,
            proposed: Vec::new(),
        }
    }

    /// The tree that the agent left, once it is written down.
    pub(super) fn tree(&self) -> Option<&TreeId> {
        self.captured.as_ref()?.tree.as_ref()
    }

    /// The tree that may be committed.
    pub(super) fn accepted_tree(&self) -> Option<&TreeId> {
        self.verdict.as_ref().filter(|verdict| verdict.accepted)?.tree.as_ref()
    }
}

/// An iteration that runs again under its own number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Again {
    pub number: u32,
    pub retry: u32,
    pub task: usize,
}

impl RunState {
    /// The state right after a run was started.
    pub fn new(run: RunId, at: Timestamp, start: RunStart) -> Self {
        let tasks = start.plan.tasks.iter();
        let tasks =
            tasks.map(|task| TaskProgress::at_start(task, start.settings.review.mode)).collect();
        let index = PlanIndex::new(&start.plan);
        Self {
            run,
            seq: 0,
            effects: 0,
            started_at: at,
            last_at: at,
            idle: Millis::default(),
            tasks,
            workspace: None,
            head: CommitId::default(),
            head_tree: TreeId::default(),
            baseline: None,
            phase: Phase::Opening { then: Box::new(Phase::Boundary) },
            iteration_closed_at: None,
            counters: Counters::default(),
            usage: Usage::default(),
            stop: None,
            current: None,
            again: None,
            suspended: None,
            taken: BTreeSet::new(),
            prompt: String::new(),
            proposals: start.proposals.iter().cloned().collect(),
            proposals_numbered: start
                .proposals
                .iter()
                .map(|(number, _)| *number)
                .max()
                .unwrap_or(0),
            refused: Vec::new(),
            last_failure: None,
            flaky: BTreeMap::new(),
            soft_failures: BTreeMap::new(),
            warnings: Warnings::default(),
            resting: BTreeMap::new(),
            blame: Blame::default(),
            steering: Steering::default(),
            planning: Planning::default(),
            memory: Memory { context: start.memory.clone(), ..Memory::default() },
            earlier_isolations: Vec::new(),
            traffic: Traffic::default(),
            notes: Vec::new(),
            index,
            start: Box::new(start),
        }
    }

    /// Folds decisions from the first one on. `None` if the first is not a start.
    pub fn fold<'a>(decisions: impl IntoIterator<Item = &'a Decision>) -> Option<Self> {
        let mut decisions = decisions.into_iter();
        let first = decisions.next()?;
        let mut state = match first.events.first()? {
            Event::RunStarted(start) => Self::new(first.run.clone(), first.at, (**start).clone()),
            _ => return None,
        };
        state.apply(first);
        for decision in decisions {
            state.apply(decision);
        }
        Some(state)
    }

    /// Whether this run works on a prompt, without a plan.
    pub fn is_prompt(&self) -> bool {
        matches!(self.start.source, Source::Prompt { .. })
    }

    /// Whether this run only drafts a plan.
    pub fn is_planning(&self) -> bool {
        matches!(self.start.source, Source::Planning { .. })
    }

    /// Brings back what a stored state leaves out because it can be computed.
    pub fn reindex(&mut self) {
        self.index = PlanIndex::new(&self.start.plan);
    }

    /// Position of a task.
    pub fn position(&self, id: &TaskId) -> Option<usize> {
        self.index.position(&self.start.plan, id)
    }

    /// The task at a position.
    pub fn task(&self, at: usize) -> Option<&Task> {
        self.start.plan.tasks.get(at)
    }

    /// The id of the task at a position.
    pub fn task_id(&self, at: usize) -> TaskId {
        self.task(at).map(|task| task.id.clone()).unwrap_or_default()
    }

    /// How long the run has worked: neither a pause nor the time in which no process held it counts.
    pub fn worked(&self, now: Timestamp) -> Millis {
        let paused = match self.phase {
            Phase::Paused { since } => now.since(since),
            _ => Millis::default(),
        };
        let unused = self.steering.paused.plus(self.idle).plus(paused);
        Millis(now.since(self.started_at).0.saturating_sub(unused.0))
    }

    /// Which attempt on a task the next one is, from 1, since one was last accepted.
    pub(super) fn next_attempt(&self, task: usize) -> u32 {
        self.detail(task).map_or(0, |detail| detail.rejected) + 1
    }

    /// What is known about a task that was begun.
    pub fn detail(&self, task: usize) -> Option<&Detail> {
        self.tasks.get(task).and_then(|progress| progress.detail.as_deref())
    }

    /// How many attempts a task may take.
    pub fn max_attempts(&self, task: usize) -> u32 {
        let own = self.task(task).and_then(Task::own_max_attempts);
        let most = own.unwrap_or(self.start.settings.limits.max_attempts).max(1);
        // A prompt is one task: whoever says how many iterations it gets means as many attempts.
        let given = self.start.max_iterations;
        if self.is_prompt() && self.start.is_limit_given { most.max(given) } else { most }
    }

    pub(super) fn detail_mut(&mut self, task: usize) -> Option<&mut Detail> {
        let head = &self.head;
        self.tasks.get_mut(task).map(|progress| {
            &mut **progress.detail.get_or_insert_with(|| {
                Box::new(Detail { began_at: head.clone(), ..Detail::default() })
            })
        })
    }
}
