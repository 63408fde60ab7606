//! What a person says to the agents of a run.

use ralph_text::cut;
use serde::{Deserialize, Serialize};

use crate::ids::TaskId;

/// Most bytes of one word.
const MOST_TEXT: usize = 8_000;
/// Most characters of one word.
const MOST_CHARS: usize = 2_000;

/// One thing that a person said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Steer {
    /// Whose agents hear it; `None`: all that are still to come.
    pub task: Option<TaskId>,
    pub text: String,
}

impl Steer {
    /// What was said, cut to what a prompt has room for.
    pub fn new(task: Option<TaskId>, text: &str) -> Self {
        let text = text.trim();
        let end = text.char_indices().nth(MOST_CHARS).map_or(text.len(), |(at, _)| at);
        let text = cut::head(text.get(..end).unwrap_or_default(), MOST_TEXT);
        Self { task, text: text.to_owned() }
    }

    /// Whether a person may say so much at once.
    pub fn fits(text: &str) -> bool {
        text.trim().chars().count() <= MOST_CHARS
    }
}
