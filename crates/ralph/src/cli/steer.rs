//! `ralph steer [TASK] "…"`: tells the agents something, those of one task or all that are still to come.

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
    let layout = RunStore::find(&context.project_dir)?.layout;
    let (task, text) = said(args, context)?;
    let wish = Wish::Steer { task: task.clone(), text: text.to_owned(), now: args.now };
    put(&layout, &wish)?;
    let (taken, when) = when(&layout, task.as_ref(), args.now)?;
    if context.json {
        answer_json(&json!({ "v": 1, "wish": "steer", "task": task, "taken": taken }))?;
    }
    let about = task.map(|task| format!("about {task}: ")).unwrap_or_default();
    context.done(format!("{about}{when}"))?;
    Ok(exit::DONE)
}

/// Puts a request into the inbox.
pub(crate) fn put(layout: &Layout, wish: &Wish) -> Result<(), CommandError> {
    inbox::put(layout, wish).map_err(CommandError::file("write to", &layout.inbox()))
}

/// The task and the text, if they can be told to anybody.
fn said<'a>(
    args: &'a SteerArgs,
    context: &Context,
) -> Result<(Option<TaskId>, &'a str), CommandError> {
    let (task, text) = match args.words.as_slice() {
        [task, text, ..] => (Some(TaskId::from(task.as_str())), text.as_str()),
        [text] => (None, text.as_str()),
        [] => (None, ""),
    };
    let refuse = |what: String, help: &str| Err(CommandError::usage(what, help));
    if text.trim().is_empty() {
        return refuse("the message is empty".into(), "ralph steer \"use the existing parser\"");
    }
    if !Steer::fits(text) {
        return refuse(
            format!(
                "the message has {} characters, and 2000 is the limit",
                text.trim().chars().count()
            ),
            "shorten it, or write it to a file and name that file",
        );
    }
    if let Some(task) = &task {
        check(task, &PlanStatus::about(&context.project_dir, task.as_str())?.foreseen())?;
    }
    Ok((task, text))
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
