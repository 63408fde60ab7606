//! One iteration on a task and its result, in words.

use serde::Serialize;

use crate::{
    event::{Event, IterationStart},
    verdict::{Reason, Verdict},
    vocabulary::Kind,
};

/// One iteration on a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    pub iteration: u32,
    /// `implement`, `fix`, `review` or `apply`.
    pub kind: &'static str,
    pub agent: String,
    pub model: String,
    /// What became of it, in words; empty while it is under way.
    pub result: String,
    /// Which attempt it makes; `None` if it makes none.
    #[serde(skip)]
    pub attempt: Option<u32>,
}

impl Step {
    /// An iteration that has just begun.
    pub(super) fn begun(start: &IterationStart) -> Self {
        let is_attempt = matches!(start.kind, Kind::Implement | Kind::Fix | Kind::Prompt);
        Self {
            iteration: start.iteration,
            kind: start.kind.word(),
            agent: start.agent.clone(),
            model: start.model.clone(),
            result: String::new(),
            attempt: is_attempt.then_some(start.attempt),
        }
    }
}

/// The result that an event gives the iteration under way.
pub fn result(event: &Event) -> Option<String> {
    Some(match event {
        Event::VerdictReached(verdict) => judged(verdict),
        Event::CallSetAside(aside) => format!("not charged: agent {}", aside.ending.describe()),
        Event::AgentKeptFailing { why, .. } => format!("not charged: {why}"),
        Event::QuestionAsked { question, in_passing: false, .. } => format!("asked: {question}"),
        Event::Reviewed(reviewed) if reviewed.judgement.approved => "approved".into(),
        Event::Reviewed(reviewed) => match reviewed.judgement.findings.len() {
            1 => "changes requested, 1 finding".into(),
            findings => format!("changes requested, {findings} findings"),
        },
        Event::ReviewUnusable { why, .. } => format!("no verdict: {why}"),
        Event::PlanDrafted(_) => "drafted".into(),
        Event::DraftUnusable { why, .. } => format!("no draft: {}", why.join("; ")),
        _ => return None,
    })
}

/// `accepted`, or `rejected` and why.
fn judged(verdict: &Verdict) -> String {
    if verdict.accepted {
        return "accepted".into();
    }
    let reasons: Vec<String> = verdict.reasons.iter().map(Reason::describe).collect();
    format!("rejected: {}", reasons.join("; "))
}
