//! What people said to agents: what still applies, and what no run has read yet.

use ralph_core::{
    input::Wish,
    run::{Hold, Word},
};
use ralph_engine::{inbox, layout::Layout};
use serde::Serialize;

use crate::{
    diagnostics::CommandError,
    reporters::{
        block::{Block, Entry},
        line::Tone,
    },
};

/// One word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct WordView {
    /// `null`: about all the work.
    pub(crate) task: Option<String>,
    pub(crate) text: String,
    /// The first iteration whose prompt has it.
    pub(crate) seen_by: Option<u32>,
}

impl WordView {
    /// A word of a run, if it still holds.
    pub(super) fn held(word: &Word) -> Option<Self> {
        (word.hold == Hold::Holds).then(|| Self {
            task: word.said.task.as_ref().map(|task| task.0.clone()),
            text: word.said.text.clone(),
            seen_by: word.seen,
        })
    }

    fn line(&self, state: &str) -> Entry {
        let about = self.task.as_ref().map(|task| format!(" {task}")).unwrap_or_default();
        Entry::text(2, Tone::Plain, format!("steered{about}: {} ({state})", self.text))
    }
}

/// Lines about words that hold.
pub(super) fn held(words: &[WordView]) -> Block {
    let line = |word: &WordView| match word.seen_by {
        Some(iteration) => word.line(&format!("since iteration {iteration}")),
        None => word.line("the next call hears it"),
    };
    words.iter().map(line).collect()
}

/// Lines about words that no run has taken.
pub(super) fn untaken(words: &[WordView]) -> Block {
    words.iter().map(|word| word.line("waits for the next run")).collect()
}

/// What lies in the inbox.
pub(super) fn waiting(layout: &Layout) -> Result<Vec<WordView>, CommandError> {
    let path = layout.inbox();
    let requests =
        inbox::read(&path).map_err(|source| CommandError::File { doing: "read", path, source })?;
    let words = requests.into_iter().filter_map(|request| match request.wish {
        Wish::Steer { task, text, .. } => {
            Some(WordView { task: task.map(|task| task.0), text, seen_by: None })
        }
        _ => None,
    });
    Ok(words.collect())
}
