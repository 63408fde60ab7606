//! Decisions, in the past tense: what the journal stores, state is folded from, and reporters show.
//!
//! All events of one decision are one journal line, so a crash can never leave half a decision.

mod start;

use serde::{Deserialize, Serialize};

pub use self::start::{Pinned, RunStart, Source};
use crate::{
    effect::How,
    ending::Ending,
    evidence::{Evidence, Label},
    gates::report::GateResults,
    ids::{CommitId, RunId, TaskId, TreeId},
    input::{AgentReport, By, Captured, CheckpointTaken, Reapplied, Request, ScmReport, Workspace},
    isolation::Isolation,
    memory::compaction::{Compaction, CompactionStart},
    outcome::Outcome,
    plan::{
        Status,
        amend::{Proposal, Ruled},
        person::TaskWish,
    },
    planning::Draft,
    review::Judgement,
    stuck::{Measures, Stuck},
    time::Timestamp,
    verdict::Verdict,
    vocabulary::{Kind, Stage, Steer},
};

/// Version of the journal's format.
pub const FORMAT: u32 = 1;

/// One decision as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// Format version.
    pub v: u32,
    pub run: RunId,
    /// Lane of a parallel run; 0 today.
    pub lane: u32,
    /// Counts decisions from 0 without gaps.
    pub seq: u64,
    pub at: Timestamp,
    pub events: Vec<Event>,
}

/// One fact that was decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    RunStarted(Box<RunStart>),
    RunResumed {
        #[serde(default, skip_serializing_if = "By::is_person")]
        by: By,
        version: String,
        max_iterations: Option<u32>,
        /// A person gave that total.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_limit_given: bool,
        /// What holds from now on, where the settings were read anew.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pinned: Option<Box<Pinned>>,
    },
    /// From here on another backend is in force.
    IsolationChanged {
        isolation: Isolation,
    },
    WorkspaceOpened(Workspace),
    BaselineRecorded {
        tree: TreeId,
        results: GateResults,
    },
    /// A prompt run's text was read, or read anew after it changed.
    PromptRead {
        text: String,
    },
    IterationStarted(IterationStart),
    CheckpointTaken(CheckpointTaken),
    AgentEnded(Box<AgentReport>),
    TreeCaptured(Captured),
    GatesRan {
        tree: TreeId,
        results: GateResults,
    },
    VerdictReached(Verdict),
    Committed {
        task: TaskId,
        iteration: u32,
        commit: CommitId,
        tree: TreeId,
    },
    /// The attempt counts: its tree was proved as well as this run can prove.
    AttemptAccepted {
        task: TaskId,
        attempt: u32,
    },
    EvidenceRecorded {
        task: TaskId,
        evidence: Vec<Evidence>,
        labels: Vec<Label>,
    },
    TaskMoved {
        task: TaskId,
        from: Status,
        to: Status,
        why: String,
    },
    ScmTasksRan {
        reports: Vec<ScmReport>,
    },
    /// An attempt was not accepted; its tree is kept under a ref.
    AttemptRejected(Rejection),
    /// An agent call that is not charged; the same iteration runs again.
    CallSetAside(SetAside),
    /// The agent kept failing on this task only, so the task is parked and not the run ended.
    AgentKeptFailing {
        task: TaskId,
        why: String,
    },
    /// The iteration continues with this stage.
    Proceeded {
        to: Stage,
    },
    IterationClosed,
    WaitBegan {
        until: Timestamp,
        why: String,
    },
    WaitEnded,
    /// An agent is not called for a while.
    AgentRested {
        /// `agent` or `agent:model`.
        agent: String,
        /// `None`: until the run is resumed.
        until: Option<Timestamp>,
        why: String,
        /// Its work waits for it; else another agent takes it over.
        is_waited_for: bool,
    },
    /// A given-up task's work is on this branch; the run branch went back to where the task began.
    WorkKept {
        task: TaskId,
        branch: String,
        head: CommitId,
        tree: TreeId,
    },
    RequestTaken {
        request: Request,
    },
    StopRequested {
        how: StopHow,
    },
    /// A person sent the agents a message.
    Steered {
        word: Steer,
        /// The call under way ends for it and begins again.
        ends_call: bool,
    },
    /// A person wants the run to pause once the iteration is over.
    PauseRequested {
        /// The call under way ends for it and begins again afterwards.
        ends_call: bool,
    },
    /// Nothing starts from here on.
    Paused,
    /// The run continues, or the wish to pause it is gone.
    Unpaused,
    /// The agent's wishes for the plan, ruled on once its work is accepted.
    AmendmentsProposed {
        proposals: Vec<Proposal>,
        /// What could not be read as a proposal, in words.
        unreadable: Vec<String>,
    },
    AmendmentsRuled {
        task: TaskId,
        ruled: Vec<Ruled>,
    },
    /// A person decided on a proposal that waited.
    ProposalDecided {
        number: u32,
        accepted: bool,
        why: String,
    },
    /// A person changed the plan.
    PlanChanged {
        wish: TaskWish,
    },
    /// A person wants the task done again from the start.
    TaskReset {
        task: TaskId,
    },
    QuestionAsked {
        task: TaskId,
        question: String,
        /// It calls its work finished all the same, so the work is judged and nothing waits for an answer.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        in_passing: bool,
    },
    AnswerGiven {
        task: TaskId,
        answer: String,
    },
    /// A person approved the task's work; gates still judge it where it must be brought back.
    ApprovalGiven {
        task: TaskId,
    },
    /// Parked work was brought back, or could not be.
    WorkReapplied {
        task: TaskId,
        result: Reapplied,
    },
    Reviewed(Box<Reviewed>),
    /// A review gave no usable verdict; it does not count.
    ReviewUnusable {
        task: TaskId,
        /// How many in a row.
        nth: u32,
        why: String,
    },
    /// The task makes no progress; this is done about it.
    Escalated {
        task: TaskId,
        stuck: Stuck,
        measures: Measures,
    },
    /// A planner's draft that can be used.
    PlanDrafted(Box<Draft>),
    /// A planner gave nothing that can be used.
    DraftUnusable {
        /// How many in a row.
        nth: u32,
        /// What is wrong with it, one thing each.
        why: Vec<String>,
        /// It is no draft at all, rather than one with mistakes.
        #[serde(default)]
        is_shapeless: bool,
    },
    /// An agent is asked to compact memory.
    CompactionBegan(CompactionStart),
    /// What the run knows from now on.
    MemoryCompacted(Box<Compaction>),
    /// Something a person should know that changes nothing.
    Warned {
        text: String,
    },
    RunEnding {
        outcome: Outcome,
    },
    RunFinished {
        outcome: Outcome,
        notes: Vec<String>,
    },
}

/// The start of an agent call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IterationStart {
    pub iteration: u32,
    /// How often this iteration was started before (uncharged).
    pub retry: u32,
    pub kind: Kind,
    pub task: TaskId,
    pub title: String,
    /// Which attempt on the task this is, from 1.
    pub attempt: u32,
    pub max_attempts: u32,
    pub agent: String,
    pub model: String,
}

/// A rejected attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejection {
    pub task: TaskId,
    pub attempt: u32,
    pub max_attempts: u32,
    /// Ref that keeps its tree; `None` if it changed nothing.
    pub kept: Option<String>,
    /// Where the next attempt starts; `None` is the checkpoint's commit.
    pub work: Option<TreeId>,
    /// Failure fingerprint.
    pub fingerprint: String,
    /// Of its failing gates alone, which do not depend on the task; of the whole failure where none failed.
    #[serde(default)]
    pub shared: String,
}

/// A review's verdict on a task's committed work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reviewed {
    pub task: TaskId,
    /// How many reviews the task has had, this one included.
    pub review: u32,
    /// Who judged.
    pub agent: String,
    pub model: String,
    pub tree: TreeId,
    pub judgement: Judgement,
    /// The reviewer's summary.
    pub summary: String,
    /// Fingerprint of what it wants changed; empty if nothing.
    pub print: String,
}

/// An agent call that is not charged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAside {
    pub ending: Ending,
    pub counts_as: Uncharged,
    /// Ref that keeps its tree; `None` if it changed nothing.
    pub kept: Option<String>,
    /// Where the next call starts; `None` is the run branch.
    pub work: Option<TreeId>,
}

impl SetAside {
    /// Whether it counts towards `limits.max_uncharged`. An outage is bounded by `limits.max_wait` alone.
    pub fn is_counted(&self) -> bool {
        match self.counts_as {
            Uncharged::Failure | Uncharged::Overflow => true,
            Uncharged::Limit => !matches!(self.ending, Ending::Overloaded { .. }),
            Uncharged::Cut | Uncharged::Interrupt => false,
        }
    }
}

/// Which cap an uncharged call counts towards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Uncharged {
    /// Failures in a row.
    Failure,
    /// Limits of the account or the provider.
    Limit,
    /// The one forgiven context overflow of a task.
    Overflow,
    /// A limit of the run cut it short; nothing is counted.
    Cut,
    /// A person ended it; nothing is counted.
    Interrupt,
}

/// How a run was asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopHow {
    /// After this iteration.
    AfterIteration,
    /// Now, by request.
    Now,
    /// By a signal, this politely.
    Signal { signal: i32, how: How },
}
