//! What waits for a person: questions, proposals, and tasks that failed.

use ralph_core::{
    ids::TaskId,
    input::Wish,
    plan::{Status, amend::Amendment, person::TaskWish},
};

use super::{model::Model, prompt::Prompt};
use crate::{ask::Editor, cli::task::proposals};

/// One thing that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ask {
    Question { task: TaskId, text: String },
    Proposal { number: u32, text: String, why: String, change: String },
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
        let change = changed(amendment);
        Ask::Proposal { number: *number, text, why, change }
    });
    let failed =
        with(Status::Failed).map(|at| Ask::Failed { task: state.task_id(at), text: why(at) });
    questions.chain(proposals).chain(failed).collect()
}

/// What a proposal would make of what it is about.
fn changed(amendment: &Amendment) -> String {
    let change = proposals::change(amendment);
    let fields = change.as_object().into_iter().flatten();
    let words = fields.filter(|(_, value)| !value.is_null()).map(|(field, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("{field}: {value}")
    });
    words.collect::<Vec<_>>().join("; ")
}
