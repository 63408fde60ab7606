//! Tells stuck work from slow work. One signal is never enough: each rule asks for a repetition and for
//! the absence of progress.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Trace;

/// The same failure this often in a row, without progress.
const IN_A_ROW: usize = 3;
/// How far back a failure is looked for that comes and goes.
const WINDOW: usize = 6;
/// The same failure this often in that window, whatever came between.
const OFTEN: usize = 4;
/// Attempts in a row that change nothing.
const IDLE: usize = 2;
/// Reviews in a row that find the same.
const REVIEWS: usize = 2;

/// Why a task is stuck.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "stuck", rename_all = "snake_case")]
pub enum Stuck {
    /// The same failure again and again, and no fewer tests fail.
    SameFailure { times: u32, fingerprint: String },
    /// Attempts that leave everything as it was.
    NothingChanges { times: u32 },
    /// Reviews that ask for the same again.
    SameFindings { times: u32 },
}

impl Stuck {
    /// The reason in words.
    pub fn describe(&self) -> String {
        match self {
            Self::SameFailure { times, .. } => format!("same failure {times} times, no progress"),
            Self::NothingChanges { times } => format!("nothing changed {times} times in a row"),
            Self::SameFindings { times } => {
                format!("same review findings {times} times in a row")
            }
        }
    }
}

/// Whether a task is stuck after what happened last.
///
/// `attempts` are its rejected attempts since one was last accepted for good, oldest first. `reviews` are
/// fingerprints of the findings of all its change requests, oldest first. A change request means that the
/// gates had accepted the attempt before it: earlier failures no longer count, and findings count only while
/// no attempt was rejected since.
pub fn detect<'a>(
    attempts: impl IntoIterator<Item = &'a Trace>,
    reviews: &[String],
) -> Option<Stuck> {
    let since: Vec<&Trace> = attempts
        .into_iter()
        .filter(|trace| usize::try_from(trace.reviews).is_ok_and(|seen| seen >= reviews.len()))
        .collect();
    if since.is_empty() {
        return same_findings(reviews);
    }
    nothing_changes(&since).or_else(|| same_failure(&since)).or_else(|| comes_and_goes(&since))
}

fn same_findings(reviews: &[String]) -> Option<Stuck> {
    let newest = reviews.last().filter(|findings| !findings.is_empty())?;
    let times = reviews.iter().rev().take_while(|findings| *findings == newest).count();
    (times >= REVIEWS).then(|| Stuck::SameFindings { times: count(times) })
}

fn nothing_changes(attempts: &[&Trace]) -> Option<Stuck> {
    let times = attempts.iter().rev().take_while(|trace| !trace.changed).count();
    (times >= IDLE).then(|| Stuck::NothingChanges { times: count(times) })
}

fn same_failure(attempts: &[&Trace]) -> Option<Stuck> {
    let newest = attempts.last()?;
    let times = attempts.iter().rev().take_while(|trace| is_alike(trace, newest)).count();
    let row = attempts.get(attempts.len().checked_sub(IN_A_ROW)?..)?;
    (times >= IN_A_ROW && (!falls(row) || repeats_a_tree(row))).then(|| again(newest, times))
}

/// A failure that other failures interrupt: a flaky test, or an agent that goes back and forth between two
/// wrong answers. Healthy work may meet an old failure again, so this asks for more than a row does.
fn comes_and_goes(attempts: &[&Trace]) -> Option<Stuck> {
    let newest = attempts.last()?;
    let window = attempts.get(attempts.len().saturating_sub(WINDOW)..)?;
    let alike: Vec<&Trace> =
        window.iter().copied().filter(|trace| is_alike(trace, newest)).collect();
    let circles = alike.len() >= OFTEN || (alike.len() >= IN_A_ROW && repeats_a_tree(&alike));
    (circles && !falls(&alike) && !has_new_low(window)).then(|| again(newest, alike.len()))
}

fn again(newest: &Trace, times: usize) -> Stuck {
    Stuck::SameFailure { times: count(times), fingerprint: newest.fingerprint.clone() }
}

fn is_alike(one: &Trace, other: &Trace) -> bool {
    !one.fingerprint.is_empty() && one.fingerprint == other.fingerprint
}

/// Whether fewer tests fail at the end than at the beginning, as far as the numbers are known.
fn falls(attempts: &[&Trace]) -> bool {
    let mut known = attempts.iter().filter_map(|trace| trace.failing);
    match (known.next(), known.next_back()) {
        (Some(first), Some(last)) => last < first,
        _ => false,
    }
}

/// Whether the later half saw fewer failing tests than the earlier half ever did.
fn has_new_low(attempts: &[&Trace]) -> bool {
    let (earlier, later) = attempts.split_at(attempts.len() / 2);
    let lowest = |part: &[&Trace]| part.iter().filter_map(|trace| trace.failing).min();
    match (lowest(earlier), lowest(later)) {
        (Some(before), Some(after)) => after < before,
        _ => false,
    }
}

/// Whether two of the attempts left exactly the same files.
fn repeats_a_tree(attempts: &[&Trace]) -> bool {
    let mut seen = BTreeSet::new();
    !attempts.iter().filter_map(|trace| trace.tree.as_ref()).all(|tree| seen.insert(tree))
}

fn count(times: usize) -> u32 {
    u32::try_from(times).unwrap_or(u32::MAX)
}
