//! Lines about a planner's drafts, and what to type where none came of it.

use ralph_core::{outcome::Outcome, planning::Draft};

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

/// The command to type next after a planning run.
pub(crate) fn next(outcome: &Outcome) -> Option<String> {
    let again = |what: &str| {
        Some(if what.contains("ralph plan") {
            what.to_owned()
        } else {
            format!("{what}, then ralph plan")
        })
    };
    match outcome {
        Outcome::Done | Outcome::Drafted => None,
        Outcome::Limit { .. } => again("raise it under [limits] in the settings"),
        Outcome::Stopped | Outcome::Interrupted { .. } | Outcome::Bug { .. } => {
            Some("ralph plan".into())
        }
        Outcome::NeedsPerson { .. } => again("look at the drafts in the run's folder"),
        Outcome::AgentUnusable { help, .. }
        | Outcome::Workspace { help, .. }
        | Outcome::Preflight { help, .. }
        | Outcome::Refused { help, .. } => again(help),
    }
}
