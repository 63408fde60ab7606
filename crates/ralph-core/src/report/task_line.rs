//! One task as lists show it, from the plan and from what a run knows about it.

use serde::Serialize;

use crate::{
    evidence::Label,
    plan::{Status, Task},
    run::{Detail, RunState, labels_of},
};

/// One task in a list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct TaskLine {
    pub id: String,
    pub title: String,
    pub status: Status,
    /// Those that were judged.
    pub attempts: u32,
    pub reviews: u32,
    /// Why it has this status.
    pub why: String,
    /// What its agent asks a person.
    pub question: Option<String>,
    pub branch: Option<String>,
    /// What is weaker than full proof, in words.
    pub labels: Vec<String>,
}

impl TaskLine {
    /// A task of a plan with the statuses of now; `detail` is what a run knows about it.
    pub fn of(task: &Task, detail: Option<&Detail>) -> Self {
        let labels = labels_of(task, task.status, detail);
        Self {
            id: task.id.0.clone(),
            title: task.title.clone(),
            status: task.status,
            attempts: detail.map_or(0, |detail| detail.attempts),
            reviews: detail.map(|detail| detail.reviews).or(task.review_count).unwrap_or_default(),
            why: detail.map(|detail| detail.why.clone()).unwrap_or_default(),
            question: task.question.clone(),
            branch: task.branch.clone(),
            labels: labels.iter().map(Label::describe).collect(),
        }
    }

    /// The task at a place of a run's plan, as it is now.
    pub fn at(state: &RunState, at: usize) -> Option<Self> {
        Some(Self::of(&*state.task_view(at)?, state.detail(at)))
    }
}
