//! What a report says, as data; `report.json` is this, written down (`docs/report.md`). Renders nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{Diffstat, Failed, Parked, ReviewCounts, Setback, published};
use crate::{
    evidence::{Evidence, Label},
    gates::protect::Touched,
    ids::{CommitId, RunId, TaskId},
    isolation::{Contact, Isolation},
    outcome::Outcome,
    plan::Status,
    run::{Spent, Warnings, Word},
    time::{Millis, Timestamp},
    timeline::Iterations,
    usage::{MicroUsd, Usage},
    vocabulary::Kind,
};

/// Version of the report's JSON.
pub(super) const VERSION: u32 = 1;

/// Lasting rules that the project's own file for agents does not have yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rules {
    /// `AGENTS.md` or `CLAUDE.md`.
    pub file: String,
    pub lines: Vec<String>,
}

impl Rules {
    /// A file's text with the rules below a heading of their own.
    pub fn added_to(&self, text: &str) -> String {
        let heading = "## Rules from ralph's runs\n\n";
        let added = format!("- {}\n", self.lines.join("\n- "));
        match text.split_once(heading) {
            Some((before, after)) => format!("{before}{heading}{added}{after}"),
            None if text.trim().is_empty() => format!("{heading}{added}"),
            None => format!("{}\n\n{heading}{added}", text.trim_end()),
        }
    }
}

/// Everything worth knowing about a run, whether it has ended or not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    pub version: u32,
    pub run: RunId,
    pub project: String,
    /// Branch that holds the accepted work.
    pub branch: String,
    /// Branch the user was on.
    pub came_from: String,
    pub began: Timestamp,
    /// When the last decision was taken.
    pub last: Timestamp,
    /// `None` while the run is under way, or if it was interrupted.
    pub ended: Option<Ended>,
    /// What keeps its agents in.
    pub isolation: Isolation,
    /// What did before it was resumed with another backend, oldest first.
    pub earlier_isolations: Vec<Isolation>,
    pub counts: Counts,
    /// Changed files that run on somebody's machine or decide how work is checked, task by task.
    pub exposed: Vec<Exposed>,
    /// What is weaker than full proof.
    pub weaker: Vec<Weaker>,
    pub failed: Vec<Failed>,
    pub parked: Vec<Parked>,
    pub blocked: Vec<Blocked>,
    /// Changes of the plan that a person must decide on.
    pub proposals: Vec<Waiting>,
    /// What agents asked beside work that they called finished.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<Asked>,
    /// What agents asked and people answered, in the plan's order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answered: Vec<Answered>,
    /// What may be kept for later runs, where the project has a file for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<Rules>,
    /// What the run warned of, oldest first.
    pub warnings: Warnings,
    /// Gates that may fail and did, and how often.
    pub soft_failures: BTreeMap<String, u32>,
    /// What people said to the agents while it went on, oldest first.
    pub steered: Vec<Word>,
    /// Tasks that something was done about, in the plan's order.
    pub tasks: Vec<TaskReport>,
    /// Tasks that nobody has begun, which `tasks` leaves out.
    pub not_begun: usize,
    /// Gates that failed at first and passed when run again, and how often.
    pub flaky_gates: BTreeMap<String, u32>,
    pub reviews: ReviewCounts,
    pub amendments: Amendments,
    pub iterations: u32,
    /// The same by what they were for.
    pub iterations_by_kind: BTreeMap<Kind, u32>,
    /// Calls, usage and time of each agent.
    #[serde(serialize_with = "published::spent")]
    pub by_agent: BTreeMap<String, Spent>,
    /// The same for each kind of iteration.
    #[serde(serialize_with = "published::spent")]
    pub by_kind: BTreeMap<Kind, Spent>,
    pub rejected: u32,
    /// Its iterations and waits in time; empty where only the state is known.
    pub timeline: Iterations,
    pub times: Times,
    #[serde(serialize_with = "published::usage")]
    pub usage: Usage,
    pub cost: Cost,
    /// What changed from its beginning to now; `None` where git was not asked or nothing was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diffstat: Option<Diffstat>,
    /// What addresses of its commits begin with, if they are on a known forge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits_at: Option<String>,
    /// What its agents and gates asked of the network, by host.
    pub traffic: Vec<Contact>,
    /// What a person should know about how it ended.
    pub notes: Vec<String>,
}

/// How the run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ended {
    #[serde(flatten)]
    pub outcome: Outcome,
    pub words: String,
    pub exit_code: u8,
}

/// How many of the run's tasks stand where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    pub total: usize,
    pub done: usize,
    /// Of those done, the ones with full proof.
    pub verified: usize,
    /// Of those done, the ones that were done when the plan was imported.
    pub imported: usize,
    /// Of those done, the ones that were done when the run began, imported ones left out.
    pub before: usize,
    pub skipped: usize,
    pub failed: usize,
    pub parked: usize,
    pub blocked: usize,
    /// Everything else that is not finished.
    pub open: usize,
}

/// What a task changed that needs a second look before anybody builds, tests or merges it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Exposed {
    pub task: TaskId,
    /// Where these changes are.
    pub branch: String,
    /// The most dangerous first.
    pub files: Vec<Touched>,
    /// How many more there are than are listed here.
    pub left_out: u64,
}

impl Report {
    /// How many different files need a second look: one can be there for two reasons, or for two tasks.
    pub fn exposed_files(&self) -> u64 {
        let files = self.exposed.iter().flat_map(|one| &one.files);
        let paths: BTreeSet<&str> = files.map(|file| file.path.as_str()).collect();
        paths.len() as u64 + self.exposed.iter().map(|one| one.left_out).sum::<u64>()
    }
}

/// Something weaker than full proof, and the tasks it holds for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Weaker {
    pub words: String,
    pub tasks: Vec<TaskId>,
}

/// An open task that cannot begin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Blocked {
    pub task: TaskId,
    pub title: String,
    pub on: TaskId,
}

/// What an agent asked beside work that it called finished; nothing waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Asked {
    pub task: TaskId,
    pub title: String,
    pub question: String,
}

/// What an agent asked, and what a person answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Answered {
    pub task: TaskId,
    pub question: String,
    pub answer: String,
}

/// A change of the plan that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Waiting {
    pub number: u32,
    pub change: String,
    /// Why the agent wants it.
    pub reason: String,
    /// Why a person must decide.
    pub why: String,
}

/// One task of the run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskReport {
    pub id: TaskId,
    pub title: String,
    pub status: Status,
    /// Why it has this status.
    pub why: String,
    /// See [`Cost`].
    pub verified: bool,
    /// Attempts in all.
    pub attempts: u32,
    /// Rejected ones in all.
    pub rejected: u32,
    pub max_attempts: u32,
    pub reviews: u32,
    pub change_requests: u32,
    #[serde(serialize_with = "published::usage")]
    pub usage: Usage,
    /// Milliseconds that agents took.
    pub agent_time: Millis,
    pub began: Option<Timestamp>,
    pub ended: Option<Timestamp>,
    pub commits: Vec<CommitId>,
    pub branch: Option<String>,
    pub labels: Vec<Label>,
    pub evidence: Vec<Evidence>,
    /// What reviews noticed that blocks nothing, one a line.
    pub warnings: Vec<String>,
    /// What last stood against it; of a task that is done, what it was approved in spite of.
    pub setback: Option<Setback>,
}

/// What became of the changes that agents proposed to the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Amendments {
    pub applied: u32,
    pub waiting: u32,
    pub refused: u32,
}

/// Where the time went, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Times {
    /// How long the run worked, waits included; without pauses, and without the time in which no process held it.
    pub total: Millis,
    /// Agents that worked.
    pub agent: Millis,
    /// Agents that reviewed.
    pub review: Millis,
    /// Gates and checks.
    pub gates: Millis,
    /// Pauses that a person asked for.
    pub paused: Millis,
}

/// What was paid, and what for.
///
/// A task is *verified* if this run brought it to `done` with complete evidence and without any label: every
/// hard gate was green on the committed tree at its first run, every criterion was met by its check or in a
/// reviewer's judgement, and something ran that could have failed. What was approved by a person or at the cap,
/// left unreviewed, or accepted beside a red or flaky gate is done and not verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Cost {
    /// Everything the run cost: rejected attempts, reviews and failed tasks included. `None` if no agent reported it.
    pub total_usd_micros: Option<MicroUsd>,
    /// The total shared among the verified tasks. `None` if there are none, or if no agent reported its cost.
    pub per_verified_task_usd_micros: Option<MicroUsd>,
}
