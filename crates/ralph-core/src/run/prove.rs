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

/// What the checks of a task's criteria show, in the order of the criteria; sentences are judged by `sentence`.
pub(super) fn evidence(
    task: &Task,
    tree: &TreeId,
    results: &GateResults,
    mut sentence: impl FnMut(usize) -> Option<Judged>,
) -> Vec<Evidence> {
    let judged = |(at, criterion): (usize, &Criterion)| {
        let check = results.checks.iter().find(|check| check.criterion == at);
        let by = match (criterion.check(), check) {
            (Some(_), Some(check)) => Judged::Check {
                command: check.command.clone(),
                exit_code: check.end.exit_code(),
                log: check.log.clone(),
            },
            (Some(_), None) => return None,
            (None, _) => sentence(at)?,
        };
        Some(Evidence { criterion: criterion.text().to_owned(), by, tree: tree.clone() })
    };
    task.acceptance_criteria.iter().enumerate().filter_map(judged).collect()
}

/// What is known of a criterion's check, as the check is now, on this tree.
pub(super) fn checked<'a>(
    criterion: &Criterion,
    known: &'a [Evidence],
    tree: &TreeId,
) -> Option<&'a Evidence> {
    let ran = |one: &&Evidence| match &one.by {
        Judged::Check { command, .. } => criterion.check() == Some(command.as_str()),
        _ => false,
    };
    let about = |one: &&Evidence| one.criterion == criterion.text() && one.tree == *tree;
    known.iter().filter(about).find(ran)
}

/// The task is done, with this evidence. Incomplete evidence is a fault of ralph's own, and ends the run.
pub(super) fn done(
    state: &RunState,
    at: usize,
    evidence: Vec<Evidence>,
    mut labels: Vec<Label>,
) -> Vec<Event> {
    let from = state.tasks.get(at).map(|progress| progress.status).unwrap_or_default();
    let Some(task) = state.start.plan.tasks.get(at) else {
        return Vec::new();
    };
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
