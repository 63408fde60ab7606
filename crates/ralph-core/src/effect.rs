//! Everything the core can ask the world to do. Imperative, complete in itself, harmless when repeated.

use serde::{Deserialize, Serialize};

use crate::{
    gates::report::{GateReport, GateSpec},
    ids::{CommitId, TaskId, TreeId},
    time::{Millis, Timestamp},
    vocabulary::Kind,
};

/// Which effect a result belongs to: the number of decisions taken when it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EffectId(pub u64);

/// What to do now.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub enum Step {
    /// Do this and report its result under this id.
    Perform(EffectId, Effect),
    /// Nothing to do until then, or until an input arrives.
    Await { until: Option<Timestamp> },
    /// End the effect in flight.
    Interrupt(EffectId, How),
    /// Nothing is left to do.
    Finished,
}

/// How an effect in flight is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// Politely, with a grace period.
    Ask,
    /// At once.
    Kill,
}

/// One act upon the world.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Get onto the run's branch without touching what is the user's.
    OpenWorkspace(OpenWorkspace),
    /// Run the gates once on the tree the run begins with.
    RunBaseline(RunGates),
    /// Read the inbox and, for a prompt run, the prompt.
    Look(Look),
    /// Make the worktree equal to the start tree (keeping aside whatever else is there) and record it.
    Checkpoint(Checkpoint),
    RunAgent(Box<AgentCall>),
    /// Write down exactly what the agent left: tree, moved refs, foreign repositories, plan edits.
    CaptureTree(CaptureTree),
    RunGates(RunGates),
    Commit(Commit),
    /// The user's commands after an accepted commit.
    RunScmTasks(RunScmTasks),
    /// Keep a tree that was not accepted under a ref of its own.
    Quarantine(Quarantine),
    /// Keep a given-up task's work on a branch and take the run branch back to where the task began.
    GiveUp(GiveUp),
    /// Work out what a parked task's work looks like on top of the run branch.
    Reapply(Reapply),
    /// Leave the user's checkout in order.
    CloseWorkspace(CloseWorkspace),
}

/// See [`Effect::OpenWorkspace`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenWorkspace {
    pub branch: String,
    pub dirty: DirtyPolicy,
    pub linked_worktree: bool,
    /// Where the run branch must be (a resumed run); `None` when the run begins.
    pub resume_at: Option<CommitId>,
    /// Nothing will be worked on: the files are looked at as they are, and no branch is touched.
    pub only_looks: bool,
}

/// What to do with the user's uncommitted changes of tracked files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DirtyPolicy {
    /// Say so and stop.
    #[default]
    Refuse,
    /// Commit them first, as the user's.
    Wip,
    /// Keep them as a ref and bring them back at the end.
    Stash,
}

/// See [`Effect::Look`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// File to read the prompt from, if it is re-read each time.
    pub prompt_file: Option<String>,
}

/// See [`Effect::Checkpoint`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    pub iteration: u32,
    /// Where the run branch must be.
    pub head: CommitId,
    /// What the worktree must hold; `None` means the tree of `head`.
    pub start: Option<TreeId>,
    /// Name under `refs/ralph/<run>/` for whatever else is found there.
    pub keep_as: String,
}

/// One call of an agent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentCall {
    pub iteration: u32,
    /// How often this iteration was started before.
    pub retry: u32,
    pub kind: Kind,
    pub task: TaskId,
    /// Name of a built-in agent or a program.
    pub agent: String,
    pub flags: Vec<String>,
    pub model: String,
    pub fallback_model: String,
    /// 0: the agent's own limit.
    pub max_turns: u32,
    pub prompt: String,
    pub soft_timeout: Millis,
    pub hard_timeout: Millis,
    pub idle_timeout: Millis,
    /// Variables of the user's environment passed through.
    pub env: Vec<String>,
    /// Money left for this call; `None` where there is no limit.
    pub budget: Option<crate::usage::MicroUsd>,
    /// Tokens left for this call; `None` where there is no limit.
    pub tokens: Option<u64>,
    /// For agents that tell only tokens.
    pub prices: crate::usage::Prices,
    /// The agent as settings describe it, if `agent` is the name of such a one.
    pub custom: Option<Box<crate::settings::CustomAgent>>,
    /// Text of the MCP servers it gets and no others; empty: none.
    pub mcp: String,
    /// Works in a throwaway copy of this commit, of which nothing survives; `None`: in the worktree.
    pub copy_of: Option<CommitId>,
    /// The word that a review in plain text must carry; empty where there is none.
    pub seal: String,
    /// Project-level agent configuration it may load; found out when the call begins.
    pub loadable: Loadable,
}

/// What of the agent configuration in a folder may be loaded there in one call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Loadable {
    /// The folder that is worked in; empty if it is not known yet.
    pub root: String,
    /// Every file of it if the user trusts them as they are now, else none.
    pub files: Vec<String>,
}

impl Loadable {
    /// Whether this agent may load what it finds.
    pub fn is_trusted(&self) -> bool {
        !self.files.is_empty()
    }
}

/// See [`Effect::CaptureTree`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaptureTree {
    pub iteration: u32,
    pub head: CommitId,
    /// The checkpoint's tree.
    pub start: TreeId,
    /// Globs of protected paths.
    pub protect: Vec<String>,
}

/// See [`Effect::RunGates`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunGates {
    pub iteration: u32,
    pub tree: TreeId,
    pub gates: Vec<GateSpec>,
    pub checks: Vec<CheckSpec>,
    /// How often a hard failure is run again.
    pub flaky_retries: u32,
    /// What the gates gave before, as far as it matters for running one again.
    pub before: Vec<GateReport>,
    /// Most characters of output that go to the agent.
    pub truncate: usize,
}

/// A criterion's command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckSpec {
    pub criterion: usize,
    pub command: String,
    pub hard_timeout: Millis,
}

/// See [`Effect::Commit`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    pub iteration: u32,
    pub task: TaskId,
    pub tree: TreeId,
    /// Where the run branch is now: the commit's parent and the value compared before the swap.
    pub parent: CommitId,
    /// Subject and body, without trailers.
    pub message: String,
}

/// See [`Effect::RunScmTasks`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunScmTasks {
    pub tasks: Vec<String>,
    pub hard_timeout: Millis,
}

/// See [`Effect::Quarantine`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantine {
    pub tree: TreeId,
    pub parent: CommitId,
    /// Below `refs/ralph/<run>/`.
    pub name: String,
    pub message: String,
    /// What its failure says is missing or wrong, to be found among the tree's files; usually nothing.
    pub hints: Vec<String>,
}

/// See [`Effect::GiveUp`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GiveUp {
    pub task: TaskId,
    /// Branch that keeps the work.
    pub branch: String,
    /// The last attempt's tree; `None` if it left nothing.
    pub tree: Option<TreeId>,
    /// Where the run branch is.
    pub head: CommitId,
    /// Where the run branch stood when the task began.
    pub began_at: CommitId,
    /// Commit message: the diagnosis.
    pub message: String,
    /// The branch is pushed, for at most this long.
    pub push: Option<Millis>,
}

/// See [`Effect::Reapply`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reapply {
    /// Branch that keeps the parked work.
    pub branch: String,
    /// Where the run branch is.
    pub onto: CommitId,
}

/// See [`Effect::CloseWorkspace`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloseWorkspace {
    pub head: CommitId,
    /// Ref of the user's changes to bring back.
    pub stash: Option<String>,
    /// Name under `refs/ralph/<run>/` for unaccepted work found in the tree.
    pub keep_as: String,
}
