//! How often tasks were reviewed, and what that says about the reviews (source: the plan's review counts).

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    evidence::Label,
    plan::Status,
    run::{Detail, RunState},
    settings::Settings,
    vocabulary::ReviewMode,
};

/// Reviews of the tasks that have ended: done, failed or parked for a person.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ReviewCounts {
    /// Reviews that gave a verdict, in all.
    pub total: u32,
    /// How many tasks had how many reviews.
    pub histogram: BTreeMap<u32, u32>,
    /// Tasks that the first review approved.
    pub approved_at_first: u32,
    /// Tasks that reached `review.cap` change requests.
    pub at_cap: u32,
    /// What the counts say.
    pub words: String,
}

impl ReviewCounts {
    /// Counts over these tasks.
    pub(super) fn of(state: &RunState, selected: &[usize]) -> Self {
        let mut counts = Self::default();
        for &at in selected {
            let (Some(progress), Some(detail)) = (state.tasks.get(at), state.detail(at)) else {
                continue;
            };
            counts.total += detail.reviews;
            let ended = matches!(progress.status, Status::Done | Status::Failed | Status::Parked);
            if !ended || detail.attempts == 0 {
                continue;
            }
            *counts.histogram.entry(detail.reviews).or_default() += 1;
            let capped = is_capped(detail, &state.start.settings);
            let at_once = progress.status == Status::Done && detail.reviews == 1;
            counts.approved_at_first += u32::from(at_once && !capped && !by_person(detail));
            counts.at_cap += u32::from(capped);
        }
        counts.words = counts.judged(state.start.settings.review.mode);
        counts
    }

    /// Tasks that were reviewed at all.
    pub fn reviewed(&self) -> u32 {
        self.histogram.iter().filter(|(reviews, _)| **reviews > 0).map(|(_, tasks)| tasks).sum()
    }

    fn judged(&self, mode: ReviewMode) -> String {
        let reviewed = self.reviewed();
        if reviewed == 0 {
            return match mode {
                ReviewMode::Off => "review was off".into(),
                ReviewMode::On | ReviewMode::Auto => "no review has reached a verdict".into(),
            };
        }
        let most = self.histogram.iter().filter(|(reviews, _)| **reviews >= 3);
        let most: u32 = most.map(|(_, tasks)| tasks).sum();
        let mut words = if self.approved_at_first * 2 > reviewed {
            "mostly approved at the first review: reviews cost little here".to_owned()
        } else if most * 2 > reviewed {
            "many tasks needed three reviews or more: reviews find real faults, or the criteria leave too much open".to_owned()
        } else {
            "reviews sent some work back".to_owned()
        };
        if self.at_cap > 0 {
            words.push_str("; look at the tasks that reached the cap yourself");
        }
        words
    }
}

fn is_capped(detail: &Detail, settings: &Settings) -> bool {
    let labelled = |label: &Label| matches!(label, Label::AutoApprovedAtCap { .. });
    detail.labels.iter().any(labelled)
        || (detail.change_requests > 0 && detail.change_requests >= settings.review.cap)
}

fn by_person(detail: &Detail) -> bool {
    detail.labels.contains(&Label::ApprovedByPerson)
}
