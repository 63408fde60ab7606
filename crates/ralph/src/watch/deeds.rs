//! Does what a person ordered, through the functions of the commands.

use ralph_core::plan::person::TaskWish;
use ralph_engine::{journal::Lock, runs};

use super::{prompt::Deed, watched::Watched};
use crate::{
    cli::{pause, steer, stop, task::ask},
    diagnostics::CommandError,
    session::plan_status::PlanStatus,
};

/// Does it; says why if it cannot be done. What the run has not taken yet is seen in its inbox.
pub(super) fn perform(deed: &Deed, watched: &Watched) -> Option<String> {
    match attempt(deed, watched) {
        Ok(_) => None,
        Err(error) => Some(format!("! {error}: {}", error.help())),
    }
}

fn attempt(deed: &Deed, watched: &Watched) -> Result<String, CommandError> {
    let Watched { folder, layout, run } = watched;
    is_for(deed, watched)?;
    let wish = match deed {
        Deed::Steer { task, text, is_now } => {
            return Ok(steer::send(folder, (task.as_ref(), text), *is_now)?.1);
        }
        Deed::Pause => return pause::switch(layout),
        Deed::Stop { is_now } => {
            let owner = Lock::peek(&layout.lock()).filter(|owner| owner.run.as_ref() == Some(run));
            return stop::ask(layout, &owner.ok_or_else(pause::nothing_runs)?, *is_now);
        }
        Deed::Watch { .. } => return Ok(String::new()),
        Deed::Answer { task, text } => TaskWish::Answer { id: task.clone(), text: text.clone() },
        Deed::Accept { number } => TaskWish::Accept { proposal: *number },
        Deed::Decline { number } => TaskWish::Decline { proposal: *number, why: String::new() },
        Deed::Retry { task } => TaskWish::Retry { id: task.clone() },
        Deed::Skip { task } => TaskWish::Skip { id: task.clone(), why: String::new() },
    };
    let standing = match wish.task() {
        Some(task) => PlanStatus::about(folder, task.as_str())?,
        None => PlanStatus::find(folder)?,
    };
    Ok(ask::pass_on(&standing, &wish)?.1)
}

/// The commands act on the run that works, or on the newest: another one may be on the screen.
fn is_for(deed: &Deed, Watched { layout, run, .. }: &Watched) -> Result<(), CommandError> {
    let needs_process = matches!(deed, Deed::Steer { .. } | Deed::Pause | Deed::Stop { .. });
    let owner = Lock::peek(&layout.lock()).and_then(|owner| owner.run);
    if needs_process && owner.as_ref() != Some(run) {
        return Err(pause::nothing_runs());
    }
    let is_older = runs::latest(layout).is_some_and(|latest| latest > *run);
    if is_older && !matches!(deed, Deed::Watch { .. }) {
        let what = format!("run {run} is not the newest: nothing can be decided for it any more");
        return Err(CommandError::usage(what, "r lists the runs; the newest is the first"));
    }
    Ok(())
}
