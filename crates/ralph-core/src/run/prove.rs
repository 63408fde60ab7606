//! From judged criteria to `done`: the only way there.
//!
//! Invariant: a task is moved to `done` here or nowhere, and only with complete evidence.

use super::RunState;
use crate::{
    event::Event,
    evidence::{Evidence, Judged, Label, completes},
    gates::report::GateResults,
    ids::TreeId,
    outcome::Outcome,
    plan::{Criterion, Status, Task},
};

/// A record for each criterion, in order, as far as there is one: `check` finds what its command gave, `sentence`
/// who judged it.
pub(super) fn evidence(
    task: &Task,
    tree: &TreeId,
    check: impl Fn(usize, &Criterion) -> Option<Judged>,
    sentence: impl Fn(usize) -> Option<Judged>,
) -> Vec<Evidence> {
    let judged = |(at, criterion): (usize, &Criterion)| {
        let by = match criterion.check() {
            Some(_) => check(at, criterion)?,
            None => sentence(at)?,
        };
        Some(Evidence { criterion: criterion.text().to_owned(), by, tree: tree.clone() })
    };
    task.acceptance_criteria.iter().enumerate().filter_map(judged).collect()
}

/// What a criterion's check gave just now.
pub(super) fn ran(results: &GateResults, at: usize) -> Option<Judged> {
    let check = results.checks.iter().find(|check| check.criterion == at)?;
    Some(Judged::Check {
        command: check.command.clone(),
        exit_code: check.end.exit_code(),
        log: check.log.clone(),
    })
}

/// What is known of a criterion's check, as the check is now, on this tree.
pub(super) fn known(evidence: &[Evidence], tree: &TreeId, criterion: &Criterion) -> Option<Judged> {
    let is_it = |one: &&Evidence| match &one.by {
        Judged::Check { command, .. } => {
            criterion.check() == Some(command.as_str())
                && one.criterion == criterion.text()
                && one.tree == *tree
        }
        _ => false,
    };
    evidence.iter().find(is_it).map(|one| one.by.clone())
}

/// The task is done, with this evidence. Incomplete evidence is a fault of ralph's own, and ends the run.
pub(super) fn done(
    state: &RunState,
    at: usize,
    evidence: Vec<Evidence>,
    mut labels: Vec<Label>,
) -> Vec<Event> {
    let from = state.tasks.get(at).map(|progress| progress.status).unwrap_or_default();
    let Some(task) = state.task(at) else { return Vec::new() };
    if task.acceptance_criteria.is_empty() {
        labels.push(Label::NoCriteria);
    }
    labels.sort_unstable();
    labels.dedup();
    if !completes(task, &evidence, &labels) {
        let why = format!("{} would be done without complete evidence", task.id);
        return vec![Event::RunEnding { outcome: Outcome::Bug { why } }];
    }
    let mut events = vec![Event::EvidenceRecorded { task: task.id.clone(), evidence, labels }];
    let moved = |from, to| Event::TaskMoved { task: task.id.clone(), from, to, why: String::new() };
    if from == Status::ChangesRequested {
        // A person decided that nothing has to change; the way to done leads through review.
        events.push(moved(from, Status::NeedsReview));
        events.push(moved(Status::NeedsReview, Status::Done));
    } else {
        events.push(moved(from, Status::Done));
    }
    events
}

/// The task goes to another status.
pub(super) fn moved(state: &RunState, at: usize, to: Status, why: String) -> Event {
    Event::TaskMoved {
        task: state.task_id(at),
        from: state.tasks.get(at).map(|progress| progress.status).unwrap_or_default(),
        to,
        why,
    }
}
