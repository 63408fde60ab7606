//! What crosses the wire between people, the engine and the workers: small, with references instead of contents. Every
//! field that is added later needs a default, because histories outlive versions.

use std::{collections::BTreeMap, time::Duration};

use ralph_core::{
    ids::TaskId,
    input,
    plan::{
        Status as TaskStatus,
        person::{TaskWish, path},
    },
};
use serde::{Deserialize, Serialize};

/// The type of the workflow that is a loop.
pub const LOOP: &str = "ralph.loop.v1";

/// The queue of those who decide and hold no agent; all workflows run there, whatever their account.
pub const BRAIN_QUEUE: &str = "ralph-brain";

/// The queue of the hands of one account.
pub fn account_queue(account: &str) -> String {
    format!("acct:{account}")
}

/// The queue of one host, for words to the stints that it holds.
pub fn host_queue(host: &str) -> String {
    format!("host:{host}")
}

/// What a host says that leaves a stint to others: they can do it.
pub(crate) const REFUSED: &str = "Refused";

/// What a loop is told at its start and never again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoopSpec {
    /// The repository's address, as a worker reaches it.
    pub repo: String,
    /// The run branch; its loop is the only one that works on it.
    pub branch: String,
    pub tenant: String,
    /// Whose subscription or key pays; hands of this account alone work on it.
    pub account: String,
    /// Tells this submission of the branch from every other, whatever server it was made to.
    #[serde(default)]
    pub submission: String,
    #[serde(default)]
    pub limits: Limits,
    #[serde(default)]
    pub times: Times,
}

/// How much a stint and a history may hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Iterations after which a stint hands over.
    pub iterations_per_stint: u32,
    /// Minutes after which it hands over at the next boundary.
    pub minutes_per_stint: u32,
    /// Events after which the loop continues as a new one.
    pub history_events: u32,
    /// Stints in a row without a report, then a person must look.
    pub failures_in_a_row: u32,
    /// The budget of the tenant this loop draws from; none asks nobody.
    pub budget: Option<String>,
    /// What a stint asks of that budget.
    pub money_per_stint_micro_usd: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            iterations_per_stint: 10,
            minutes_per_stint: 30,
            history_events: 2_000,
            failures_in_a_row: 5,
            budget: None,
            money_per_stint_micro_usd: 20_000_000,
        }
    }
}

/// The times of the lease protocol, in milliseconds. `grace >= look + kill` and `grace >= silence + kill`, or two agents
/// could work at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Times {
    /// H: a stint that says nothing for so long is given up.
    pub heartbeat_ms: u64,
    /// P: out of touch with the server, the lease is looked at this often.
    pub look_ms: u64,
    /// D: out of touch with server and remote for so long, the agent is ended.
    pub silence_ms: u64,
    /// K: what it takes to end an agent.
    pub kill_ms: u64,
    /// G: what a takeover waits for a holder that may still be alive.
    pub grace_ms: u64,
    /// A longer wait gives the slot back.
    pub longest_wait_ms: u64,
}

/// No takeover waits longer for a holder, whatever its lease says; so no loop's times may ask for more.
pub const LONGEST_GRACE: Duration = Duration::from_hours(1);

impl Times {
    /// How often a holder looks at its lease although its server is content with it.
    pub fn look_in_touch(&self) -> Duration {
        Duration::from_millis(self.heartbeat_ms.saturating_mul(5))
    }

    /// How long such a holder lives on after its lease has become somebody else's.
    pub fn noticed_within(&self) -> Duration {
        let ending = Duration::from_millis(self.look_ms.saturating_add(self.kill_ms));
        self.look_in_touch().saturating_add(ending)
    }
}

impl Default for Times {
    fn default() -> Self {
        Self {
            heartbeat_ms: 60_000,
            look_ms: 15_000,
            silence_ms: 30_000,
            kill_ms: 10_000,
            grace_ms: 45_000,
            longest_wait_ms: 60_000,
        }
    }
}

/// What a loop keeps when it continues as a new one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Carry {
    pub stints: u32,
    pub wishes: Vec<Wish>,
    pub last: Option<StintReport>,
    /// Stints in a row that said they failed.
    pub failures: u32,
    /// Stints in the same row whose host was lost.
    pub lost: u32,
    /// A person has said something since the last stint was told what there was to tell.
    pub told: bool,
    /// A person lets the run go on: what was tried in vain may be tried again.
    pub by_person: bool,
    /// How many iterations the run had before its first stint here.
    pub iterations_before: u32,
    /// What it had cost then.
    pub cost_before_micro_usd: u64,
    /// By host: where it keeps work for a person, as it said last.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub kept: BTreeMap<String, Vec<String>>,
    /// A host stopped saying that it lives, and no stint has held the branch since.
    pub lost_sight: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoopInput {
    pub spec: LoopSpec,
    #[serde(default)]
    pub carry: Carry,
}

/// What a person wants. The id is the name of the file in the run's inbox: obeyed once, however often it is delivered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Wish {
    pub id: String,
    pub wish: input::Wish,
}

impl Wish {
    /// The task that it decides about.
    pub fn task(&self) -> Option<&str> {
        self.change()?.task().map(TaskId::as_str)
    }

    /// What it decides, if it is a decision.
    pub fn change(&self) -> Option<&TaskWish> {
        let input::Wish::Task { change } = &self.wish else { return None };
        Some(change)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StintInput {
    pub spec: LoopSpec,
    /// The loop's id.
    pub key: String,
    /// Counts the loop's stints: with the key, the name of this one.
    #[serde(default)]
    pub stint: u32,
    pub wishes: Vec<Wish>,
    /// How many iterations the run had when the loop last heard of it.
    #[serde(default)]
    pub iterations: u32,
    /// What it had cost then.
    #[serde(default)]
    pub spent_micro_usd: u64,
    /// A person lets the run go on: what was tried in vain may be tried again.
    #[serde(default)]
    pub by_person: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum StintEnd {
    Boundary,
    Wait { until_ms: i64 },
    NeedsPerson { why: String },
    Finished { outcome: String, exit: u8 },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StintReport {
    pub end: StintEnd,
    pub done: u32,
    pub tasks: u32,
    /// Of the run so far.
    pub iterations: u32,
    /// Of the run so far.
    pub cost_micro_usd: u64,
    /// The published truth.
    pub truth: String,
    pub host: String,
    /// Somebody else held the lease.
    pub took_over: bool,
    /// The folder of the last stint could be used again.
    pub warm: bool,
    /// Ids of the wishes that the run has taken.
    pub delivered: Vec<String>,
    /// The tasks that wait for a person, if the run does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<Ask>,
    /// No ralph was started: what the stint was told nobody has heard.
    #[serde(default)]
    pub idle: bool,
    /// Where its host keeps work for a person that the remote refused or never had.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
    /// What is less than proof in what is done, and what nobody did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weaker: Vec<String>,
}

impl StintReport {
    /// Whether the run waits for a person after it.
    pub fn needs_person(&self) -> bool {
        matches!(self.end, StintEnd::NeedsPerson { .. })
    }

    /// Of a stint that did nothing, and says only how to go on.
    pub fn idle(end: StintEnd, host: &str) -> Self {
        Self {
            end,
            done: 0,
            tasks: 0,
            iterations: 0,
            cost_micro_usd: 0,
            truth: String::new(),
            host: host.to_owned(),
            took_over: false,
            warm: false,
            delivered: Vec::new(),
            asks: Vec::new(),
            idle: true,
            kept: Vec::new(),
            weaker: Vec::new(),
        }
    }
}

/// Why a paused run needs a person, as `ralph __stint` says it.
pub const PAUSED: &str = "paused";

/// So many tasks are named at most; a list as long as that may leave some out.
pub const MOST_ASKS: usize = 10;

/// A task that waits for a person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    pub task: String,
    /// What its agent asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Why it waits, if its agent asks nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// It was given up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// The ref of its work on the remote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<String>,
}

impl Ask {
    /// Those that nobody has decided yet.
    pub fn open<'a>(asks: &'a [Self], wishes: &'a [Wish]) -> impl Iterator<Item = &'a Self> {
        asks.iter().filter(|ask| wishes.iter().all(|wish| wish.task() != Some(&ask.task)))
    }

    /// Whether a run whose task waits like this can use a decision.
    pub fn takes(&self, change: &TaskWish) -> bool {
        let is = if self.failed { TaskStatus::Failed } else { TaskStatus::Parked };
        path(change, is).is_some()
    }
}

/// Heartbeat details: what can be seen of a stint under way.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Progress {
    pub host: String,
    pub phase: String,
    pub iteration: u32,
    pub task: String,
    pub done: u32,
    pub tasks: u32,
    pub published: u32,
    /// A usage limit was met, and is lifted then.
    pub limited_until_ms: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Delivery {
    pub key: String,
    pub wish: Wish,
}

/// A stint tells its loop on whose queue it can be reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placed {
    pub stint: u32,
    pub queue: String,
}

/// Asks a host for the report of a stint that its activity never gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attendance {
    pub key: String,
    pub stint: u32,
}

/// Holds a queue back, or lets it go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrakeOrder {
    pub queue: String,
    pub is_on: bool,
}

/// A stint asks its tenant's budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantAsk {
    /// The loop's id.
    pub key: String,
    /// Its submission: each counts its stints anew.
    #[serde(default)]
    pub submission: String,
    pub stint: u32,
    pub wanted_micro_usd: u64,
}

/// What a stint cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settlement {
    pub key: String,
    #[serde(default)]
    pub submission: String,
    pub stint: u32,
    pub spent_micro_usd: u64,
    /// What the run has cost with it; nothing from workers that do not say so yet.
    #[serde(default)]
    pub total_micro_usd: u64,
}

/// What a loop answers when it is asked how it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Status {
    pub spec: LoopSpec,
    pub stints: u32,
    /// Queue of the host whose stint is under way.
    pub place: Option<String>,
    pub waiting: Option<String>,
    pub pending: Vec<Wish>,
    pub last: Option<StintReport>,
    pub failures: u32,
    /// Why the last stint gave no report, if it gave none.
    #[serde(default)]
    pub trouble: Option<String>,
    /// By host: where it keeps work for a person.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kept: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LoopEnd {
    pub outcome: String,
    pub exit: u8,
    pub stints: u32,
    pub iterations: u32,
    pub done: u32,
    pub tasks: u32,
    /// What is less than proof in what is done, and what nobody did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weaker: Vec<String>,
    /// By host: where it keeps work for a person.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kept: BTreeMap<String, Vec<String>>,
}
