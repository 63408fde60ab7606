//! A planning run: what it remembers, and what its agent is told. It works on no task.

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
    /// What the planner is told.
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
