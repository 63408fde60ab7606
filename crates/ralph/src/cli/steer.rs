//! `ralph steer [TASK] "…"`: tells the agents something, those of one task or all that are still to come.

use std::path::Path;

use ralph_core::{ids::TaskId, input::Wish, plan::Plan, settings::nearest, vocabulary::Steer};
use ralph_engine::{inbox, journal::Lock, layout::Layout};
use serde_json::json;

use crate::{
    args::commands::SteerArgs,
    context::{Context, answer_json},
    diagnostics::CommandError,
    exit,
    session::{
        plan_status::{PlanStatus, newest},
        run_store::RunStore,
    },
    words,
};

/// Runs `ralph steer`.
pub(crate) fn exec(args: &SteerArgs, context: &Context) -> Result<u8, CommandError> {
    let (task, text) = match args.words.as_slice() {
        [task, text, ..] => (Some(TaskId::from(task.as_str())), text.as_str()),
        [text] => (None, text.as_str()),
        [] => (None, ""),
    };
    let (taken, said) = send(&context.project_dir, (task.as_ref(), text), args.now)?;
    if context.json {
        answer_json(&json!({ "v": 1, "wish": "steer", "task": task, "taken": taken }))?;
    }
    context.done(said)?;
    Ok(exit::DONE)
}

/// Sends a message, if anybody can hear it; tells when that is, as a word and as a sentence.
pub(crate) fn send(
    folder: &Path,
    (task, text): (Option<&TaskId>, &str),
    is_now: bool,
) -> Result<(&'static str, String), CommandError> {
    let layout = RunStore::find(folder)?.layout;
    check_text(text)?;
    if let Some(task) = task {
        check(task, &PlanStatus::about(folder, task.as_str())?.foreseen())?;
    }
    put(&layout, &Wish::Steer { task: task.cloned(), text: text.to_owned(), now: is_now })?;
    let (taken, when) = when(&layout, task, is_now)?;
    let about = task.map(|task| format!("about {task}: ")).unwrap_or_default();
    Ok((taken, format!("{about}{when}")))
}

/// Puts a request into the inbox.
pub(crate) fn put(layout: &Layout, wish: &Wish) -> Result<(), CommandError> {
    inbox::put(layout, wish).map_err(CommandError::file("write to", &layout.inbox()))
}

/// Refuses a message that nobody could be given.
fn check_text(text: &str) -> Result<(), CommandError> {
    if text.trim().is_empty() {
        let help = "ralph steer \"use the existing parser\"";
        return Err(CommandError::usage("the message is empty", help));
    }
    if !Steer::fits(text) {
        let what = format!(
            "the message has {} characters, and 2000 is the limit",
            text.trim().chars().count()
        );
        let help = "shorten it, or write it to a file and name that file";
        return Err(CommandError::usage(what, help));
    }
    Ok(())
}

fn check(task: &TaskId, plan: &Plan) -> Result<(), CommandError> {
    let Some(found) = plan.tasks.iter().find(|one| one.id == *task) else {
        let what = format!("there is no task {task}");
        let ids: Vec<String> = plan.tasks.iter().map(|one| one.id.0.clone()).collect();
        let near = nearest(task.as_str(), ids.iter().map(String::as_str));
        let known = match near {
            Some(near) => format!("did you mean {near}?"),
            None => format!("the tasks are {}.", words::few(&ids, 10)),
        };
        let help =
            format!("{known} To message every agent, quote the whole text: ralph steer \"…\"");
        return Err(CommandError::usage(what, help));
    };
    if found.status.satisfies() {
        let what = format!("{task} is {}; nobody works on it now", found.status.word());
        let help = format!("restart it with ralph task retry {task}, then steer it");
        return Err(CommandError::usage(what, help));
    }
    Ok(())
}

/// When a word is heard, as a word and as a sentence.
fn when(
    layout: &Layout,
    task: Option<&TaskId>,
    now: bool,
) -> Result<(&'static str, String), CommandError> {
    let later = ("next_run", "the next `ralph run` or `ralph resume` delivers it".to_owned());
    let Some(run) = Lock::peek(&layout.lock()).and_then(|owner| owner.run) else {
        return Ok(later);
    };
    let state = newest(layout)?.filter(|state| state.run == run && state.outcome().is_none());
    Ok(match state {
        Some(state) if !state.hears(task) => later,
        Some(_) if now => ("now", format!("run {run} restarts the current call with it")),
        Some(_) => ("next_call", format!("run {run} includes it in the next call")),
        None => later,
    })
}
