//! Grants a person's wish in the plan file itself, for when no run goes on.

use super::{
    NotPossible, TaskWish,
    rule::{adding, editing, path, rule},
};
use crate::plan::{Plan, Task, amend::try_apply};

/// Makes the change in the plan. Approvals, answers and proposals belong to a run and are not granted here.
pub fn apply_wish(plan: &mut Plan, wish: &TaskWish) -> Result<(), NotPossible> {
    rule(plan, wish)?;
    let unsound = |why| NotPossible::Unsound { why };
    match wish {
        TaskWish::Add { task } => try_apply(plan, &adding(task)).map_err(unsound)?,
        TaskWish::Edit { id, changes } => {
            try_apply(plan, &editing(id, changes)).map_err(unsound)?;
        }
        TaskWish::Skip { id, .. } | TaskWish::Retry { id } => {
            for task in plan.tasks.iter_mut().filter(|task| &task.id == id) {
                move_task(task, wish);
            }
        }
        TaskWish::Approve { .. }
        | TaskWish::Answer { .. }
        | TaskWish::Accept { .. }
        | TaskWish::Decline { .. } => return Err(NotPossible::NeedsRun { word: wish.word() }),
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
