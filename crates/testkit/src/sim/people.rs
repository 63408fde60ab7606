//! What people wish of tasks: sensible things and foolish ones, at any time.

use ralph_core::{
    input::{Request, Wish},
    plan::{Criterion, Status, Task, amend::Changes, person::TaskWish},
    run::RunState,
};

use super::{proposals::new_task, rng::Rng};

/// A wish about some task, from a person who sees the plan as it is now.
pub(super) fn wish(state: &RunState, number: u32, rng: &mut Rng) -> Request {
    let change = match rng.below(10) {
        0 => TaskWish::Add { task: Box::new(new_task(rng)) },
        1 => TaskWish::Accept { proposal: some_proposal(state, rng) },
        2 => TaskWish::Decline { proposal: some_proposal(state, rng), why: "no".into() },
        _ => about_a_task(state, rng),
    };
    Request { id: format!("wish-{number}"), wish: Wish::Task { change } }
}

fn some_proposal(state: &RunState, rng: &mut Rng) -> u32 {
    u32::try_from(rng.below(u64::from(state.proposals_numbered) + 2)).unwrap_or(0)
}

fn about_a_task(state: &RunState, rng: &mut Rng) -> TaskWish {
    let count = state.start.plan.tasks.len();
    // Those who wait for a person are asked about first.
    let waits = |at: &usize| {
        state.tasks.get(*at).is_some_and(|one| {
            matches!(one.status, Status::Parked | Status::Failed | Status::ChangesRequested)
        })
    };
    let waiting: Vec<usize> = (0..count).filter(waits).collect();
    let any = usize::try_from(rng.below(count as u64)).unwrap_or(0);
    let at = if rng.chance(800) { rng.pick(&waiting).unwrap_or(any) } else { any };
    let Some(task) = state.start.plan.tasks.get(at) else {
        return TaskWish::Retry { id: "T99".into() };
    };
    let id = task.id.clone();
    let is = state.tasks.get(at).map(|one| one.status).unwrap_or_default();
    match (rng.below(10), is) {
        (0..=3, Status::Parked | Status::NeedsReview | Status::ChangesRequested) | (0, _) => {
            TaskWish::Approve { id }
        }
        (4..=6, Status::Parked) => TaskWish::Answer { id, text: "do as you like".into() },
        (1, _) => TaskWish::Answer { id, text: rng.of(&["", "yes"]).into() },
        (2 | 7, Status::Failed | Status::Parked | Status::Done | Status::Skipped) | (3, _) => {
            TaskWish::Retry { id }
        }
        (8, _) => TaskWish::Skip { id, why: "not needed".into() },
        _ => TaskWish::Edit { id, changes: Box::new(edit(task, state, rng)) },
    }
}

fn edit(task: &Task, state: &RunState, rng: &mut Rng) -> Changes {
    let mut changes = Changes::default();
    match rng.below(6) {
        0 => changes.notes = Some(Some(format!("note {}", rng.below(90)))),
        1 => changes.priority = Some(rng.pick(&[None, Some(1), Some(5)]).flatten()),
        2 => {
            let check = Criterion::Checked {
                text: "part 2".into(),
                check: format!("check {} 2", super::tree::slot(&task.id)),
            };
            let sentence = Criterion::Sentence("part 1".into());
            let mut criteria = task.acceptance_criteria.clone();
            criteria.push(if rng.chance(500) { check } else { sentence });
            changes.acceptance_criteria = Some(criteria);
        }
        3 => changes.acceptance_criteria = Some(Vec::new()),
        4 => {
            let others = state.start.plan.tasks.iter().map(|one| one.id.clone());
            changes.depends_on = Some(others.filter(|_| rng.chance(300)).collect());
        }
        _ => changes.status = Some(Status::Done),
    }
    changes
}
