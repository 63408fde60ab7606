//! Grants a person's wish in the plan file itself, for when no run goes on.

use super::{
    NotPossible, TaskWish,
    rule::{as_amendment, change, path, rule},
};
use crate::plan::{Plan, Task};

/// Makes the change in the plan. Approvals, answers and proposals belong to a run and are not granted here.
pub fn apply_wish(plan: &mut Plan, wish: &TaskWish) -> Result<(), NotPossible> {
    rule(plan, wish)?;
    if let Some(amendment) = as_amendment(wish) {
        return change(plan, &amendment);
    }
    let (TaskWish::Skip { id, .. } | TaskWish::Retry { id }) = wish else {
        return Err(NotPossible::NeedsRun { word: wish.word() });
    };
    for task in plan.tasks.iter_mut().filter(|task| &task.id == id) {
        move_task(task, wish);
    }
    Ok(())
}

fn move_task(task: &mut Task, wish: &TaskWish) {
    if let Some(last) = path(wish, task.status).and_then(<[_]>::last) {
        task.status = *last;
    }
    match wish {
        // Without a run there is no journal, so that the reason goes where it will be read.
        TaskWish::Skip { why, .. } if !why.trim().is_empty() => {
            let before = task.notes.take().map(|notes| format!("{notes}\n")).unwrap_or_default();
            task.notes = Some(format!("{before}skipped: {}", why.trim()));
        }
        // How many reviews there were must not count against a new beginning.
        TaskWish::Retry { .. } => (task.review_count, task.review_feedback) = (None, None),
        _ => {}
    }
}
