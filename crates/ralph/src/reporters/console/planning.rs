//! Lines about a planner's drafts.

use ralph_core::planning::Draft;

use crate::{
    reporters::{
        block::{Block, Entry, dots},
        line::{Line, Sign},
    },
    words,
};

/// Most mistakes of a draft that are shown.
const SHOWN: usize = 5;

/// A draft that can be used.
pub(crate) fn drafted(draft: &Draft) -> Block {
    let counts = [
        (draft.questions.len(), "question"),
        (draft.tasks.len(), "task"),
        (draft.assumptions.len(), "assumption"),
    ];
    let parts: Vec<String> = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| words::count(count as u64, word))
        .collect();
    let lead = Line::signed(Sign::Ok).plain("drafted: ");
    let what = if parts.is_empty() { "nothing to change".into() } else { dots(&parts) };
    vec![Entry::led(lead, what)]
}

/// A draft that cannot be used, and what is wrong with it.
pub(crate) fn unusable(nth: u32, why: &[String]) -> Block {
    let shown: Vec<&str> = why.iter().take(SHOWN).map(String::as_str).collect();
    let more = why.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    vec![Entry::signed(
        Sign::Warning,
        format!("draft {nth} cannot be used: {}{more}", shown.join("; ")),
    )]
}
