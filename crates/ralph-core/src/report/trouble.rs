//! Tasks that need a person: given up, or waiting for an answer or an approval, with what to type.

use serde::Serialize;

use super::Setback;
use crate::{
    ids::TaskId,
    next_command::{Need, Situation, Work, next_command},
    plan::{Status, Task},
    review::Finding,
    run::{Detail, RunState},
    stuck::Escalated,
};

/// A task that was given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failed {
    pub task: TaskId,
    pub title: String,
    /// Rejected attempts when it was given up, of so many.
    pub attempts: u32,
    pub max_attempts: u32,
    pub last_gate: Option<String>,
    /// Branch that keeps the work.
    pub branch: Option<String>,
    pub why: String,
    pub error: Option<Setback>,
    /// Why it was called stuck; `None` if it was not.
    pub stuck: Option<String>,
    /// What was done about that, in words; empty if nothing was.
    pub tried: String,
    pub quality_warnings: usize,
    /// Commands, best first.
    pub next: Vec<String>,
}

/// A task that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Parked {
    pub task: TaskId,
    pub title: String,
    pub why: String,
    /// What its agent asks.
    pub question: Option<String>,
    /// What the last review wants changed, one a line.
    pub findings: Vec<String>,
    pub branch: Option<String>,
    pub quality_warnings: usize,
    /// Commands, best first.
    pub next: Vec<String>,
}

impl Failed {
    /// What is known of a task that was given up.
    pub fn of(state: &RunState, at: usize, task: &Task) -> Self {
        let none = Detail::default();
        let detail = state.detail(at).unwrap_or(&none);
        let error = Setback::newest(state, at);
        Self {
            task: task.id.clone(),
            title: task.title.clone(),
            attempts: detail.rejected,
            max_attempts: state.max_attempts(at),
            last_gate: error.as_ref().and_then(|error| error.gate.clone()),
            branch: detail.branch.clone(),
            why: detail.why.clone(),
            error,
            stuck: detail.stuck.as_ref().map(crate::stuck::Stuck::describe),
            tried: tried(&detail.escalated),
            quality_warnings: detail.warnings.len(),
            next: commands(Some(Need::GivenUp(task.id.clone()))),
        }
    }
}

impl Parked {
    /// What is known of a task that waits.
    pub fn of(state: &RunState, at: usize, task: &Task) -> Self {
        let none = Detail::default();
        let detail = state.detail(at).unwrap_or(&none);
        let question = detail.question.clone().or_else(|| task.question.clone());
        Self {
            task: task.id.clone(),
            title: task.title.clone(),
            why: detail.why.clone(),
            next: commands(Need::of(
                &task.id,
                Status::Parked,
                question.is_some(),
                detail.agent_failed.is_some(),
            )),
            question,
            findings: detail.findings.iter().map(Finding::line).collect(),
            branch: detail.branch.clone().or_else(|| task.branch.clone()),
            quality_warnings: detail.warnings.len(),
        }
    }
}

/// What to type about it.
fn commands(need: Option<Need>) -> Vec<String> {
    let work = |need| Situation { obstacles: Vec::new(), work: Work::Person(need) };
    need.map(|need| next_command(&work(need)).commands()).unwrap_or_default()
}

/// What was done about a stuck task.
fn tried(done: &Escalated) -> String {
    let mut words = Vec::new();
    match done.shifts {
        0 => {}
        1 => words.push("1 strategy shift".to_owned()),
        more => words.push(format!("{more} strategy shifts")),
    }
    if done.expanded {
        words.push("more context".to_owned());
    }
    match done.rungs {
        0 => {}
        1 => words.push("another agent or model".to_owned()),
        more => words.push(format!("{more} other agents or models")),
    }
    words.join(", ")
}
