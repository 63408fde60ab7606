//! What is true now, as far as it decides what a person does next. Knows no words.

use crate::{ids::TaskId, plan::Status, time::Millis, usage::MicroUsd};

/// What is true now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Situation {
    /// What keeps a run from starting or continuing here, in the order in which it is put right.
    pub obstacles: Vec<Obstacle>,
    pub work: Work,
}

/// Something that a run refuses to start or continue with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    NoGit,
    NoRepository,
    NoCommit,
    NoIdentity,
    /// No branch is checked out.
    Detached,
    /// Tracked files have changes that are in no commit.
    Changes,
    /// The agent is not installed.
    NoAgent,
    /// Nothing can tell whether work is good.
    NoGate,
    /// Anything else, with what to do about it.
    Other {
        help: String,
    },
}

/// Where the work is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// There are neither settings nor a plan.
    NotSetUp,
    /// The plan has no task, or there is none.
    NothingPlanned,
    /// The last plan was put away.
    Archived,
    /// Tasks are open, and no run has them.
    Planned,
    /// A process works on it; a question of its agents may wait.
    Running { question: Option<TaskId> },
    /// A process holds it, and a person has it paused.
    Paused,
    /// Its process died, and nobody has put its workspace in order.
    Died,
    /// It can continue: it was stopped, or a person has said what it waited for.
    Resumable,
    /// A limit of the run was reached.
    Limited(Raised),
    /// The same for a planning run, which is started again.
    PlanningLimited(Raised),
    /// Only a person can let it continue.
    Person(Need),
    /// The same, where everything about the task has just been shown.
    Shown(Need),
    /// It cannot continue before something is put right.
    Prevented { help: String, again: Again },
    /// ralph itself failed.
    Bug { run: String },
    /// Everything is done.
    Finished(FinishedWork),
    /// A plan was drafted, and a person is asked about it right now.
    Drafted,
}

/// The limits of a run that are used up, each as a new one that leaves as much again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Raised {
    pub iterations: Option<u32>,
    pub cost: Option<MicroUsd>,
    pub tokens: Option<u64>,
    pub duration: Option<Millis>,
    /// The setting of a limit that no flag raises.
    pub setting: Option<&'static str>,
}

/// What a person must do about a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// Its agent asks something.
    Answer(TaskId),
    /// Its work waits for a decision.
    Decision(TaskId),
    /// Its agent kept failing.
    AgentFailed(TaskId),
    /// It was given up.
    GivenUp(TaskId),
    /// Changes of the plan were proposed.
    Proposals,
    /// Drafts of a planning run are in this folder, and none could be used.
    Drafts { folder: String },
}

impl Need {
    /// What a task needs of a person, if it does.
    pub fn of(task: &TaskId, status: Status, asks: bool, agent_failed: bool) -> Option<Self> {
        let task = task.clone();
        match status {
            Status::Parked if asks => Some(Self::Answer(task)),
            Status::Parked if agent_failed => Some(Self::AgentFailed(task)),
            Status::Parked => Some(Self::Decision(task)),
            Status::Failed => Some(Self::GivenUp(task)),
            _ => None,
        }
    }

    /// What can be settled soonest comes first.
    pub fn rank(&self) -> u8 {
        match self {
            Self::Answer(_) => 0,
            Self::Decision(_) => 1,
            Self::GivenUp(_) => 2,
            Self::AgentFailed(_) => 3,
            Self::Proposals | Self::Drafts { .. } => 4,
        }
    }
}

/// The command that works once something was put right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    Run,
    Resume,
    Plan,
    /// The request itself must be made again: a new run would not be about the same.
    Same,
}

/// Work that is done, and where it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FinishedWork {
    /// Branch that has it.
    pub branch: String,
    /// Branch that the user came from; empty if it is unknown.
    pub base: String,
    /// Whether the branch has commits that the base does not have.
    pub has_commits: bool,
    /// Whether some of it is weaker than full proof.
    pub is_unproved: bool,
    /// Whether it was a plan, which can be put away.
    pub has_plan: bool,
}

impl FinishedWork {
    /// Whether the work is on a branch of its own.
    pub fn is_apart(&self) -> bool {
        !self.base.is_empty() && !self.branch.is_empty() && self.base != self.branch
    }
}
