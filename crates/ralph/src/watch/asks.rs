//! What waits for a person: questions, proposals, and tasks that failed.

use ralph_core::{
    ids::TaskId,
    input::Wish,
    plan::{Status, person::TaskWish},
};

use super::{model::Model, prompt::Prompt};
use crate::ask::Editor;

/// One thing that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ask {
    Question { task: TaskId, text: String },
    Proposal { number: u32, text: String, why: String },
    Failed { task: TaskId, text: String },
}

impl Ask {
    /// What it asks a person for.
    pub(super) fn prompt(self) -> Prompt {
        match self {
            Self::Question { task, .. } => Prompt::Answer { task, editor: Editor::default() },
            Self::Proposal { number, .. } => Prompt::rule(number),
            Self::Failed { task, .. } => Prompt::failed(task),
        }
    }

    /// Whether a person's wish that was sent settles it.
    pub(super) fn is_decided_by(&self, wish: &Wish) -> bool {
        let Wish::Task { change } = wish else { return false };
        match (self, change) {
            (
                Self::Proposal { number, .. },
                TaskWish::Accept { proposal } | TaskWish::Decline { proposal, .. },
            ) => proposal == number,
            (Self::Question { task, .. } | Self::Failed { task, .. }, change) => {
                change.task() == Some(task)
            }
            (Self::Proposal { .. }, _) => false,
        }
    }
}

/// Everything that waits, what holds work up first.
pub(super) fn all(model: &Model) -> Vec<Ask> {
    let Some(state) = model.state() else { return Vec::new() };
    let with =
        |wanted: Status| (0..state.tasks.len()).filter(move |at| model.status(*at) == wanted);
    let why = |at: usize| {
        let detail = state.detail(at);
        let asked = detail.and_then(|detail| detail.question.clone());
        asked.or_else(|| detail.map(|detail| detail.why.clone())).unwrap_or_default()
    };
    let questions =
        with(Status::Parked).map(|at| Ask::Question { task: state.task_id(at), text: why(at) });
    let proposals = state.proposals.iter().map(|(number, ruled)| {
        let amendment = &ruled.proposal.amendment;
        let (text, why) = (amendment.headline(), amendment.reason().to_owned());
        Ask::Proposal { number: *number, text, why }
    });
    let failed =
        with(Status::Failed).map(|at| Ask::Failed { task: state.task_id(at), text: why(at) });
    questions.chain(proposals).chain(failed).collect()
}
