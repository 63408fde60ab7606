//! What a stint is given, what it says meanwhile, and what it reports.

use ralph_core::plan::{
    Status as TaskStatus,
    person::{TaskWish, path},
};
use serde::{Deserialize, Serialize};

use super::{spec::LoopSpec, wish::Wish};

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
