//! What was tried on one task, an iteration at a time, with what came of it. Folded from decisions.

use ralph_core::{
    event::{Decision, Event, IterationStart},
    ids::TaskId,
    verdict::Reason,
};
use serde::Serialize;

use crate::words;

/// One iteration on a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Step {
    pub(crate) iteration: u32,
    /// `implement`, `fix`, `review` or `apply`.
    pub(crate) kind: &'static str,
    pub(crate) agent: String,
    pub(crate) model: String,
    /// What came of it, in words; empty while it goes on.
    pub(crate) result: String,
}

/// All iterations on one task, oldest first.
#[derive(Debug, Clone)]
pub(crate) struct History {
    task: TaskId,
    /// The iteration under way is one of this task's.
    is_ours: bool,
    pub(crate) steps: Vec<Step>,
}

impl History {
    /// Nothing yet.
    pub(crate) fn of(task: &TaskId) -> Self {
        Self { task: task.clone(), is_ours: false, steps: Vec::new() }
    }

    /// Folds one decision.
    pub(crate) fn apply(&mut self, decision: &Decision) {
        for event in &decision.events {
            if let Event::IterationStarted(start) = event {
                self.begin(start);
            } else if self.is_ours
                && let Some(result) = result(event)
                && let Some(step) = self.steps.last_mut()
            {
                step.result = result;
            }
        }
    }

    fn begin(&mut self, start: &IterationStart) {
        self.is_ours = start.task == self.task;
        if !self.is_ours {
            return;
        }
        self.steps.push(Step {
            iteration: start.iteration,
            kind: start.kind.word(),
            agent: start.agent.clone(),
            model: start.model.clone(),
            result: String::new(),
        });
    }
}

fn result(event: &Event) -> Option<String> {
    Some(match event {
        Event::VerdictReached(verdict) if verdict.accepted => "accepted".into(),
        Event::VerdictReached(verdict) => {
            let reasons: Vec<String> = verdict.reasons.iter().map(Reason::describe).collect();
            format!("rejected: {}", reasons.join("; "))
        }
        Event::CallSetAside(aside) => format!("not charged: agent {}", aside.ending.describe()),
        Event::AgentKeptFailing { why, .. } => format!("not charged: {why}"),
        Event::QuestionAsked { question, in_passing: false, .. } => format!("asked: {question}"),
        Event::Reviewed(reviewed) if reviewed.judgement.approved => "approved".into(),
        Event::Reviewed(reviewed) => {
            format!(
                "changes requested, {}",
                words::count_of(&reviewed.judgement.findings, "finding")
            )
        }
        Event::ReviewUnusable { why, .. } => format!("no verdict: {why}"),
        Event::PlanDrafted(_) => "drafted".into(),
        Event::DraftUnusable { why, .. } => format!("no draft: {}", why.join("; ")),
        _ => return None,
    })
}
