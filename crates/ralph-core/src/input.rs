//! Everything that can happen to a run. Legal at any time; what does not fit the moment changes nothing.

use serde::{Deserialize, Serialize};

use crate::{
    effect::EffectId,
    ending::Ending,
    gates::{
        protect::Touched,
        report::{CommandEnd, GateResults},
    },
    handoff::Handoff,
    ids::{CommitId, TaskId, TreeId},
    isolation::{Contact, Isolation},
    plan::person::TaskWish,
    prompt::Library,
    settings::{Flag, Settings},
    time::{Millis, Timestamp},
    usage::Usage,
    vocabulary::Violation,
};

/// Something that happened, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    pub at: Timestamp,
    pub what: What,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// The effect in flight came back.
    Done(EffectId, Done),
    /// A signal arrived; `count` is how many so far.
    Signal { signal: i32, count: u32 },
    /// A person asked for something through the inbox, between looks.
    Asked(Request),
    /// The time waited for has come.
    Woke,
    /// A process resumed the run.
    Resumed(Resumption),
}

/// Who lets a run go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Somebody looked at it: what was tried in vain may be tried again.
    #[default]
    Person,
    /// One process takes over from another: everything counts as if it were the same one.
    Machine,
}

impl By {
    /// Whether it is what a journal says by saying nothing.
    pub fn is_person(&self) -> bool {
        *self == Self::Person
    }
}

/// What a process that resumes a run brings along.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Resumption {
    pub by: By,
    /// Version of ralph.
    pub version: String,
    /// The new total.
    pub max_iterations: Option<u32>,
    /// A person gave that total.
    pub is_limit_given: bool,
    /// What replaces the settings and texts that the run began with.
    pub reloaded: Option<Box<Reloaded>>,
    /// What keeps the agents in from now on; `None` if that is not looked at.
    pub isolation: Option<Isolation>,
    /// A person's requests about tasks wait in the inbox: there may be something to do again.
    pub requests_wait: bool,
    /// What somebody made of the plan file since the run last wrote it.
    pub plan_edit: Option<String>,
}

/// Settings and texts that were read anew.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reloaded {
    pub settings: Settings,
    pub library: Library,
    /// All that the command line has said of the settings, then and now.
    pub flags: Vec<Flag>,
}

/// A person's request, with the name of its file so that it is obeyed once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    pub id: String,
    pub wish: Wish,
}

/// What a person can ask of a running loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "wish", rename_all = "snake_case")]
pub enum Wish {
    /// Stop after this iteration.
    Stop,
    /// Stop at once.
    StopNow,
    /// Change the plan, or say something about a task; taken between iterations.
    Task { change: TaskWish },
    /// A message for the agents: those of one task, or all that are still to come. `now` restarts the call under
    /// way with it.
    Steer { task: Option<TaskId>, text: String, now: bool },
    /// Start nothing new until a person says so. `now` ends the call under way.
    Pause { now: bool },
    /// Continue after a pause.
    Resume,
}

/// What an effect gave.
#[derive(Debug, Clone, PartialEq)]
pub enum Done {
    WorkspaceOpened(Workspace),
    BaselineRan(GateResults),
    Looked(Looked),
    CheckpointTaken(CheckpointTaken),
    AgentEnded(Box<AgentReport>),
    TreeCaptured(Captured),
    GatesRan(GateResults),
    Committed {
        commit: CommitId,
    },
    ScmTasksRan(Vec<ScmReport>),
    Quarantined {
        reference: String,
        /// Files of the tree that were looked for and are there.
        files: Vec<String>,
    },
    GaveUp {
        branch: String,
        head: CommitId,
        tree: TreeId,
        /// How the push of the branch went, where one was asked for.
        pushed: Option<ScmReport>,
    },
    Reapplied(Reapplied),
    WorkspaceClosed {
        notes: Vec<String>,
    },
    /// The run is stopping, so it was not begun.
    NotBegun,
    /// ralph could not do its own job.
    Failed(Failure),
}

/// Where the work happens.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Workspace {
    /// Absolute path of the worktree agents work in.
    pub root: String,
    pub branch: String,
    /// Branch the user was on.
    pub came_from: String,
    pub head: CommitId,
    pub tree: TreeId,
    /// Ref of the user's stashed changes.
    pub stash: Option<String>,
    /// How many untracked files of the user are left alone.
    pub untracked: u64,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// What a look around gave.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Looked {
    pub requests: Vec<Request>,
    /// The prompt's text, for a prompt run.
    pub prompt: Option<String>,
}

/// The state every iteration can go back to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointTaken {
    pub head: CommitId,
    pub tree: TreeId,
    /// Ref that keeps what was found in the way.
    pub kept: Option<String>,
    /// What was put back that somebody had moved meanwhile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What an agent call gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentReport {
    pub ending: Ending,
    /// It claimed completion in its own last words.
    pub claimed: bool,
    pub handoff: Option<Handoff>,
    /// Its last words, cut.
    pub last_words: String,
    /// End of its error output, cut; shown on failure.
    pub stderr_tail: String,
    pub usage: Usage,
    pub took: Millis,
    pub session: Option<String>,
    /// Tool calls it made.
    pub tools: u32,
    /// Tool calls that failed.
    pub tool_errors: u32,
    /// Tool calls that were not allowed.
    #[serde(default)]
    pub denials: u32,
    /// Processes that outlived it and were ended.
    pub leftovers: u32,
    /// What it asked of the network, by host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traffic: Vec<Contact>,
}

impl AgentReport {
    /// Whether its handoff calls the task finished; `None` if it does not say.
    pub fn says_finished(&self) -> Option<bool> {
        self.handoff.as_ref()?.task_completed.fully_complete
    }
}

/// What was found in the worktree after the agent was gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Captured {
    /// `None` if no tree could be written safely.
    pub tree: Option<TreeId>,
    /// Where the run branch is now: moved on if the agent's own commits were kept.
    pub head: CommitId,
    /// How many files differ from the checkpoint.
    pub changed: u64,
    /// Some of their paths.
    pub sample: Vec<String>,
    /// Paths that a commit of this tree would change and that need a second look.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touched: Vec<Touched>,
    /// How many more of them there are than are listed.
    #[serde(default)]
    pub touched_left_out: u64,
    /// Acts that reject the attempt whatever the gates say.
    pub violations: Vec<Violation>,
    /// Things put right that a person should know.
    pub notes: Vec<String>,
    /// What was made of the plan file, if it was changed. Judged as a proposal, never journaled as it is.
    #[serde(skip)]
    pub plan_edit: Option<String>,
}

/// What a parked task's work looks like on top of the run branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reapplied {
    /// The run branch's tree with the work; `None` if the branch is gone or no longer fits.
    pub tree: Option<TreeId>,
    /// Why it does not fit, in words.
    pub notes: Vec<String>,
}

/// One scm task's result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScmReport {
    pub task: String,
    pub end: CommandEnd,
    pub output: String,
}

/// Why ralph could not do its own job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub class: FailureClass,
    pub what: String,
    pub help: String,
}

/// Which exit code a failure of ralph's own leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    Workspace,
    Agent,
    Preflight,
    Policy,
    Bug,
}
