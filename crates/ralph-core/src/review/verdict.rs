//! What a reviewer hands over, as data. Whether it approves anything is `judge`'s to say.

use serde::{Deserialize, Serialize};

/// A whole review, in the reviewer's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    pub criteria: Vec<CriterionRuling>,
    pub findings: Vec<Finding>,
    pub summary: String,
}

/// What the reviewer says of one criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriterionRuling {
    /// Its number in the list that the reviewer was given, from 1.
    pub number: u32,
    /// Its text, as the reviewer repeats it.
    pub criterion: String,
    pub met: bool,
    /// Where that can be seen: `file:line`, or a command and what it printed.
    pub evidence: String,
    pub comment: String,
}

/// Something the reviewer wants changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub severity: FindingSeverity,
    pub title: String,
    pub detail: String,
    /// File and line, or empty.
    pub place: String,
}

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingSeverity {
    /// The work cannot be accepted like this.
    Blocking,
    /// The work does what was asked, but could be better.
    Quality,
}

impl FindingSeverity {
    /// The word for people and in the review's form.
    pub fn word(self) -> &'static str {
        match self {
            Self::Blocking => "blocking",
            Self::Quality => "quality",
        }
    }
}

impl Finding {
    /// The finding on one line: `src/a.rs:3: title: detail`.
    pub fn line(&self) -> String {
        let parts = [self.place.trim(), self.title.trim(), self.detail.trim()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(": ").split_whitespace().collect::<Vec<_>>().join(" ")
    }
}
