//! A planning run: what it remembers, and what its agent is asked. It works on no task.

use serde::{Deserialize, Serialize};

use super::Detail;
use crate::{
    event::Source,
    planning::{Draft, PlanRequest},
    prompt::{PlanWork, Work},
};

/// Drafts that are asked for before the run gives up: one, and two corrections.
pub(super) const MOST_DRAFTS: u32 = 3;

/// How far a planning run has come.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Planning {
    /// Drafts in a row that could not be used.
    pub unusable: u32,
    /// What was wrong with the last of them.
    pub mistakes: Vec<String>,
    /// It was no draft at all.
    pub is_shapeless: bool,
    /// The one that can be used.
    pub draft: Option<Box<Draft>>,
}

impl Planning {
    /// A draft can be used: the run ends with it.
    pub(super) fn drafted(&mut self, draft: &Draft) {
        self.mistakes.clear();
        self.draft = Some(Box::new(draft.clone()));
    }

    /// A draft cannot be used; the next one is asked to avoid its mistakes.
    pub(super) fn rejected(&mut self, nth: u32, mistakes: &[String], is_shapeless: bool) {
        self.unusable = nth;
        self.is_shapeless = is_shapeless;
        self.mistakes = mistakes.to_vec();
    }

    /// What the planner is asked.
    pub(super) fn work(&self, source: &Source, detail: Option<&Detail>) -> Work {
        let request = match source {
            Source::Planning { request } => (**request).clone(),
            Source::Plan | Source::Tasks { .. } | Source::Prompt { .. } => PlanRequest::default(),
        };
        Work::Plan(Box::new(PlanWork {
            request,
            mistakes: self.mistakes.clone(),
            is_short: detail.is_some_and(|detail| detail.overflowed),
        }))
    }
}
