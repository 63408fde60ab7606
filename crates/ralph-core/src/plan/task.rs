//! One task and its criteria, in the format of `plan.json`.

use serde::{Deserialize, Serialize};

use crate::{ids::TaskId, vocabulary::ReviewMode};

/// Where a task stands.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    #[default]
    Pending,
    InProgress,
    NeedsReview,
    ChangesRequested,
    Done,
    Failed,
    Skipped,
    Parked,
}

impl Status {
    /// Lets dependants begin and counts as finished.
    pub fn satisfies(self) -> bool {
        matches!(self, Self::Done | Self::Skipped)
    }

    /// The word used in the plan file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::NeedsReview => "needs_review",
            Self::ChangesRequested => "changes_requested",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Parked => "parked",
        }
    }
}

/// One thing that must hold: a sentence for a reviewer, or a sentence with a command that ralph runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Criterion {
    Sentence(String),
    Checked { text: String, check: String },
}

impl Criterion {
    /// The sentence.
    pub fn text(&self) -> &str {
        match self {
            Self::Sentence(text) | Self::Checked { text, .. } => text,
        }
    }

    /// The command that proves it, if there is one.
    pub fn check(&self) -> Option<&str> {
        match self {
            Self::Sentence(_) => None,
            Self::Checked { check, .. } => Some(check),
        }
    }
}

/// One piece of work for one agent call. Unknown fields are kept.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Task {
    pub id: TaskId,
    pub title: String,
    pub description: String,
    pub acceptance_criteria: Vec<Criterion>,
    pub status: Status,
    /// Lower goes first, before `order`.
    pub priority: Option<i64>,
    /// Lower goes first.
    pub order: Option<i64>,
    pub depends_on: Vec<TaskId>,
    pub skills: Vec<String>,
    pub needs_docs: bool,
    pub libraries: Vec<String>,
    pub agent: Option<String>,
    pub model: Option<String>,
    pub max_turns: Option<u32>,
    pub max_attempts: Option<u32>,
    /// Older name: retries after the first attempt.
    pub max_retries: Option<u32>,
    pub timeout_multiplier: Option<f64>,
    pub review_count: Option<u32>,
    pub review_feedback: Option<String>,
    pub notes: Option<String>,
    /// Branch that keeps its unaccepted work, written by ralph.
    pub branch: Option<String>,
    /// What its agent asked a person, written by ralph. Only a parked task waits for the answer.
    pub question: Option<String>,
    /// Whatever else the file holds.
    pub extra: serde_json::Map<String, serde_json::Value>,
}

impl Task {
    /// Attempts this task allows, if it says so itself.
    pub fn own_max_attempts(&self) -> Option<u32> {
        self.max_attempts.or(self.max_retries.map(|retries| retries.saturating_add(1)))
    }

    /// Whether a fresh agent reviews the work on it.
    pub fn is_reviewed(&self, mode: ReviewMode) -> bool {
        match mode {
            ReviewMode::On => true,
            ReviewMode::Auto => self.sentences() > 0,
            ReviewMode::Off => false,
        }
    }

    /// Criteria that no command proves.
    pub fn sentences(&self) -> u32 {
        let count = self.acceptance_criteria.iter().filter(|c| c.check().is_none()).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Whether a command proves at least one criterion.
    pub fn has_check(&self) -> bool {
        self.acceptance_criteria.iter().any(|criterion| criterion.check().is_some())
    }

    /// Whether at least one criterion has a command, and none is left to a reader.
    pub fn fully_checked(&self) -> bool {
        !self.acceptance_criteria.is_empty() && self.sentences() == 0
    }
}
