//! `[review]`: whether and how a fresh agent judges accepted work.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::vocabulary::ReviewMode;

/// What happens to a task whose last allowed review still asks for changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AtCap {
    /// It waits for a person.
    #[default]
    Park,
    /// It is approved, and every report says how.
    Approve,
}

/// What happens to findings about quality, beyond the criteria.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quality {
    /// They are reported and block nothing.
    #[default]
    Soft,
    /// They ask for changes as a missed criterion does.
    Hard,
    /// They are not asked for.
    Off,
}

/// Independent review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Review {
    /// Whether a fresh agent reviews the work; `auto` reviews only tasks with a criterion that no check covers.
    pub mode: ReviewMode,
    /// Maximum reviews of a task that may ask for changes.
    pub cap: u32,
    /// What happens at the cap: `park` leaves the task to a person, `approve` approves it and says so in every report.
    pub at_cap: AtCap,
    /// Findings about quality: `soft` reports them, `hard` asks for changes, `off` does not look for them.
    pub quality: Quality,
}

impl Default for Review {
    fn default() -> Self {
        Self { mode: ReviewMode::On, cap: 5, at_cap: AtCap::Park, quality: Quality::Soft }
    }
}
