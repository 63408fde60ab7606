//! Whether a draft can be used: the same measure as for a plan file, and what only a draft must fulfil.

use std::collections::BTreeSet;

use super::{Asking, Draft, PlanRequest, prd, read::draft};
use crate::{
    handoff::Handoff,
    plan::{Status, merge, problems},
};

/// So many mistakes are told at once.
const MOST_TOLD: usize = 20;

/// Why a draft cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unusable {
    /// One thing each, for the agent that must put it right.
    pub why: Vec<String>,
    /// It is no draft at all, rather than one with mistakes.
    pub is_shapeless: bool,
}

impl Unusable {
    /// There is no draft, for this reason.
    pub fn shapeless(why: String) -> Self {
        Self { why: vec![why], is_shapeless: true }
    }
}

/// The draft in a structured answer, or else in a `ralph-handoff` block of the last message, if it can be used.
pub fn read(
    request: &PlanRequest,
    handoff: Option<&Handoff>,
    last_words: &str,
) -> Result<Draft, Unusable> {
    let from_text = if handoff.is_none() { Handoff::from_text(last_words) } else { None };
    let Some(handed) = handoff.or(from_text.as_ref()) else {
        let why = "there is no draft: neither a structured answer nor a `ralph-handoff` block";
        return Err(Unusable::shapeless(why.into()));
    };
    let (mut draft, mut why) = draft(handed);
    let is_shapeless = draft == Draft::default();
    match request.asking {
        Asking::Allowed if !draft.questions.is_empty() => why.extend(blank_questions(&draft)),
        Asking::Assume if draft.tasks.is_empty() && !draft.questions.is_empty() => {
            why.push(
                "no one can answer questions: decide yourself, and list what you assumed in \
                 `assumptions`"
                    .into(),
            );
        }
        Asking::Allowed | Asking::Assume => {
            // What could have been asked is left open, visibly.
            let asked = std::mem::take(&mut draft.questions);
            draft.assumptions.extend(asked.iter().filter_map(super::Question::assumed));
            why.extend(mistakes(request, &draft));
        }
    }
    if why.is_empty() {
        draft.prd = prd::with_assumptions(&draft.prd, &draft.assumptions);
        return Ok(draft);
    }
    let more = why.len().saturating_sub(MOST_TOLD);
    why.truncate(MOST_TOLD);
    if more > 0 {
        why.push(format!("and {more} more mistakes"));
    }
    Err(Unusable { why, is_shapeless })
}

fn blank_questions(draft: &Draft) -> Option<String> {
    let blank = draft.questions.iter().position(|one| one.question.is_empty())?;
    Some(format!("`questions[{blank}].question` is empty"))
}

fn mistakes(request: &PlanRequest, draft: &Draft) -> Vec<String> {
    let existing = &request.existing;
    let mut why = Vec::new();
    let mut seen = BTreeSet::new();
    for task in &draft.tasks {
        let status = existing.task(&task.id).map(|known| known.status);
        if let Some(status) = status.filter(|status| *status != Status::Pending) {
            why.push(format!(
                "task {} is {} and cannot be changed; give new work a new id",
                task.id,
                status.word()
            ));
        }
        if task.acceptance_criteria.is_empty() {
            why.push(format!("task {} has no acceptance criterion", task.id));
        }
        if !seen.insert(&task.id) {
            why.push(format!("task {} is drafted twice", task.id));
        }
    }
    for removal in &draft.remove {
        match existing.task(&removal.id).map(|task| task.status) {
            Some(Status::Pending) => {}
            Some(status) => {
                why.push(format!("task {} is {} and cannot be removed", removal.id, status.word()));
            }
            None => why.push(format!("there is no task {} to remove", removal.id)),
        }
    }
    if draft.tasks.is_empty() && draft.remove.is_empty() && existing.tasks.is_empty() {
        why.push("no task is drafted".into());
    }
    if request.wants_prd() && draft.prd.is_empty() {
        why.push("`prd` is empty, and no requirements are written down yet".into());
    }
    let merged = merge::merge(existing, draft.incoming(existing));
    why.extend(problems(&merged.plan).iter().map(|one| format!("{one} ({})", one.help())));
    why
}
