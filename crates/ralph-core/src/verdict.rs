//! The verdict on one attempt: a decision about one tree, with its reasons.

use serde::{Deserialize, Serialize};

use crate::{evidence::Label, ids::TreeId, vocabulary::Violation};

/// So many files are named in a reason.
const MOST_NAMED: usize = 5;

/// Accepted or not, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub struct Verdict {
    /// The tree that was judged; `None` if none could be written.
    pub tree: Option<TreeId>,
    pub accepted: bool,
    /// Why not; empty if accepted.
    pub reasons: Vec<Reason>,
    /// What is weaker than full proof.
    pub labels: Vec<Label>,
    /// Of the failure; empty if accepted.
    pub fingerprint: String,
}

/// One reason against an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Reason {
    /// A hard gate failed.
    GateFailed {
        gate: String,
        exit_code: i32,
        new_failures: Vec<String>,
    },
    /// A test gate ran no test.
    NoTests {
        gate: String,
    },
    /// A criterion's check failed.
    CheckFailed {
        criterion: String,
        command: String,
        exit_code: i32,
    },
    /// A gate or a check changed files of the tree that it judged, so it judged another one.
    ChangedFiles {
        /// The gate's name, or the check's command.
        by: String,
        files: Vec<String>,
    },
    /// Nothing changed, and no check proves that nothing had to.
    NothingChanged,
    /// Nothing ran that could verify the work.
    NothingToVerifyWith,
    /// The agent itself says that the task is not finished.
    Unfinished,
    Violated {
        violation: Violation,
    },
    /// A path that the settings protect was changed.
    ProtectedPath {
        path: String,
        glob: String,
    },
    /// The gates were cut short.
    GatesInterrupted,
}

impl Reason {
    /// Whether the work must not be repaired: the attempt starts over.
    pub fn restarts(&self) -> bool {
        matches!(self, Self::Violated { .. } | Self::ProtectedPath { .. })
    }

    /// The reason in words.
    pub fn describe(&self) -> String {
        match self {
            Self::GateFailed { gate, exit_code, new_failures } if new_failures.is_empty() => {
                format!("{gate} failed (exit {exit_code})")
            }
            Self::GateFailed { gate, exit_code, new_failures } => {
                format!("{gate} failed (exit {exit_code}): {}", new_failures.join(", "))
            }
            Self::NoTests { gate } => format!("{gate} ran no test"),
            Self::CheckFailed { criterion, exit_code, .. } => {
                format!("not met: {criterion} (check exit {exit_code})")
            }
            Self::ChangedFiles { by, files } => format!(
                "{by} passed only after it had changed {}; run it yourself and keep what it changes",
                named(files)
            ),
            Self::NothingChanged => {
                "nothing changed, and no check shows that nothing needed to".into()
            }
            Self::NothingToVerifyWith => "nothing ran that could verify it".into(),
            Self::Unfinished => "the agent says that it is not finished".into(),
            Self::Violated { violation } => format!("the agent {}", violation.describe()),
            Self::ProtectedPath { path, glob } => {
                format!("the agent changed {path}, which {glob} protects; leave it as it is")
            }
            Self::GatesInterrupted => "the gates were interrupted".into(),
        }
    }
}

/// A few of these files.
fn named(files: &[String]) -> String {
    let few: Vec<&str> = files.iter().take(MOST_NAMED).map(String::as_str).collect();
    match files.len().saturating_sub(MOST_NAMED) {
        0 => few.join(", "),
        more => format!("{} and {more} more", few.join(", ")),
    }
}
