//! Makes a change to a plan, or nothing at all. Asks nobody's permission: that is `judge`.

use super::{Amendment, Changes, PlanChanges, claims};
use crate::{
    ids::TaskId,
    plan::{Plan, Status, Task, problems},
};

/// Makes the change. What does not fit changes nothing and says so.
///
/// Looks at no status: a run keeps those beside the plan. See [`fits`] for whether the change still may be.
#[must_use]
pub fn apply(plan: &mut Plan, amendment: &Amendment) -> bool {
    try_apply(plan, amendment).is_ok()
}

/// Whether a change can be made to a plan with the statuses of now, for example when a person accepts what
/// was proposed some time ago. The error says why not.
pub fn fits(plan: &Plan, amendment: &Amendment) -> Result<(), String> {
    if let Amendment::Modify { id, .. } | Amendment::Remove { id, .. } = amendment
        && plan.tasks.iter().any(|task| &task.id == id && task.status == Status::Done)
    {
        return Err(format!("{id} is done and can no longer be changed"));
    }
    try_apply(&mut plan.clone(), amendment)
}

/// Makes the change, or says why it does not fit and leaves the plan as it was.
pub(in crate::plan) fn try_apply(plan: &mut Plan, amendment: &Amendment) -> Result<(), String> {
    let mut changed = plan.clone();
    match amendment {
        Amendment::Add { task, after, .. } => add(&mut changed, task, after.as_ref())?,
        Amendment::Modify { id, changes, .. } => modify(&mut changed, id, changes)?,
        Amendment::Remove { id, .. } => remove(&mut changed, id)?,
        Amendment::Plan { changes, .. } => change_plan(&mut changed, changes)?,
    }
    // Without a task the others have other numbers, and no new problem.
    if !matches!(amendment, Amendment::Remove { .. }) {
        check_sound(plan, &changed)?;
    }
    *plan = changed;
    Ok(())
}

/// Invariant: a change never brings a problem that was not there before.
fn check_sound(before: &Plan, after: &Plan) -> Result<(), String> {
    let known = problems(before);
    match problems(after).iter().find(|problem| !known.contains(problem)) {
        Some(problem) => Err(problem.to_string()),
        None => Ok(()),
    }
}

/// A new task has nothing behind it.
pub(super) fn starts_fresh(task: &Task) -> Result<(), String> {
    if task.status != Status::Pending {
        return Err(format!("a new task starts pending, not {}", task.status.word()));
    }
    if task.review_count.unwrap_or(0) > 0 {
        return Err("a new task cannot have reviews (review_count)".into());
    }
    if task.review_feedback.as_ref().is_some_and(|text| !text.trim().is_empty()) {
        return Err("a new task cannot have reviews (review_feedback)".into());
    }
    if let Some(name) = claims::first(&task.extra) {
        return Err(format!("a new task cannot claim progress (`{name}`)"));
    }
    Ok(())
}

fn add(plan: &mut Plan, task: &Task, after: Option<&TaskId>) -> Result<(), String> {
    starts_fresh(task)?;
    let mut task = task.clone();
    claims::drop_empty(&mut task.extra);
    if let Some(name) = Changes::between(&Task::default(), &task).misplaced() {
        return Err(format!("`{name}` is one of ralph's own fields"));
    }
    if let Some(before) = after.and_then(|id| plan.task(id))
        && (task.priority, task.order) == (None, None)
    {
        (task.priority, task.order) = (before.priority, before.order);
    }
    plan.tasks.push(task);
    Ok(())
}

fn modify(plan: &mut Plan, id: &TaskId, changes: &Changes) -> Result<(), String> {
    if let Some(name) = changes.claim() {
        return Err(format!("only ralph sets a task's status (`{name}` of {id})"));
    }
    if let Some(name) = changes.misplaced() {
        return Err(format!("`{name}` is one of ralph's own fields"));
    }
    let task = plan.tasks.iter_mut().find(|task| &task.id == id).ok_or_else(|| unknown(id))?;
    let before = task.clone();
    changes.write_to(task);
    if *task == before {
        return Err(format!("it changes nothing in {id}"));
    }
    Ok(())
}

fn remove(plan: &mut Plan, id: &TaskId) -> Result<(), String> {
    let at = plan.position(id).ok_or_else(|| unknown(id))?;
    plan.tasks.remove(at);
    for task in &mut plan.tasks {
        task.depends_on.retain(|needed| needed != id);
    }
    Ok(())
}

fn change_plan(plan: &mut Plan, changes: &PlanChanges) -> Result<(), String> {
    if let Some(name) = changes.misplaced() {
        return Err(format!("`{name}` is one of ralph's own fields"));
    }
    if changes.against(plan).names().is_empty() {
        return Err("it changes nothing in the plan".into());
    }
    changes.write_to(plan);
    Ok(())
}

fn unknown(id: &TaskId) -> String {
    format!("there is no task {id}")
}
