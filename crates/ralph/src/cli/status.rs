//! `ralph status`, and bare `ralph`: the state of the plan and of the last run, and what to type next.

mod render;
mod view;
mod words;

use std::path::Path;

use ralph_core::{
    event::Source,
    ids::{RunId, TaskId},
    input::Workspace,
    next_command::Work,
    outcome::Outcome,
    plan::{Plan, formats::plan_json},
    run::RunState,
    time::Timestamp,
};
use ralph_engine::{journal, layout::Layout, plan_file, project_file, runs};

use view::{HeldView, LastRun, Since, StatusView};

use crate::{
    context::{Context, answer_json},
    diagnostics::CommandError,
    exit,
    session::{kept, plan_status, project::told, run_store::RunStore, situation},
};

/// Runs `ralph status`.
pub(crate) fn exec(context: &Context) -> Result<u8, CommandError> {
    let view = view(context)?;
    if context.json {
        answer_json(&view)?;
    } else {
        let zone = context.stdout().zone;
        context.answer(&render::status(&view, &zone, context.verbose))?;
    }
    Ok(exit::DONE)
}

fn view(context: &Context) -> Result<StatusView, CommandError> {
    let place = RunStore::find(&context.project_dir)?;
    let words_waiting = words::waiting(&place.layout)?;
    let runs = runs::worked(&place.layout);
    let kept = runs.iter().flat_map(|run| kept::of(&context.project_dir, &place.layout, run));
    let mut view = StatusView {
        words_waiting,
        held: held(&place.layout),
        unreturned: kept.collect(),
        ..without_inbox(&place, context)?
    };
    for wish in plan_status::waiting(&place.layout)? {
        let about = wish.task().map(TaskId::as_str);
        let mut tasks = view.tasks.iter_mut();
        if let Some(task) = tasks.find(|task| Some(task.line.id.as_str()) == about) {
            task.requests.push(wish.word());
        }
    }
    Ok(view)
}

/// What dead runs still hold, while no process works here.
fn held(layout: &Layout) -> Vec<HeldView> {
    if journal::Lock::peek(&layout.lock()).is_some() {
        return Vec::new();
    }
    let held = |run: &RunId| HeldView { run: run.0.clone(), stash: runs::stash(layout, run) };
    runs::holding(layout).iter().map(held).collect()
}

fn without_inbox(place: &RunStore, context: &Context) -> Result<StatusView, CommandError> {
    let owner = journal::Lock::peek(&place.layout.lock());
    if let Some(host) = owner.as_ref().and_then(|owner| owner.elsewhere()) {
        context.warn(format!("the run is on {host}, cannot be checked from here"))?;
    }
    let running = owner.is_some();
    match place.run(None) {
        Ok(run) if !running && plan_status::is_archived(&place.layout, &run) => {
            Ok(StatusView { archived: Some(run.0), ..without_run(place, Work::Archived, context)? })
        }
        Ok(run) => {
            let timeline = place.timeline(&run)?;
            let Some(state) = timeline.state() else {
                return without_run(place, Work::NothingPlanned, context);
            };
            // A run that can go on puts its own plan back; one that is over leaves the file to people.
            let is_over = !running && state.outcome().is_some();
            let edited = is_over && plan_file::is_edited_since(&place.layout, state);
            let file = plan_file::of_run(&place.layout, state);
            let edited = if edited { plan_file(&file)? } else { None };
            let ended = plan_status::ended(&place.layout, state);
            let others_open = others_open(&place.layout, state, edited.as_ref());
            let since = if is_over {
                since(place, state, (edited.as_ref(), context))?
            } else {
                Since::default()
            };
            let now = Timestamp(jiff::Timestamp::now().as_millisecond());
            let last =
                LastRun { timeline: &timeline, state, edited, others_open, running, since, now };
            let mut view = StatusView::of_run(&last);
            if let Some(run) = &mut view.run {
                run.outcome = ended;
            }
            Ok(view)
        }
        Err(CommandError::NoRun) => without_run(place, Work::NothingPlanned, context),
        Err(error) => Err(error),
    }
}

/// What became of a run's work since it ended.
fn since(
    place: &RunStore,
    state: &RunState,
    (edited, context): (Option<&Plan>, &Context),
) -> Result<Since, CommandError> {
    let layout = &place.layout;
    let is_asked = edited.is_none() && plan_status::is_asked(layout, state)?;
    let is_resumed = is_asked || state.outcome().is_some_and(Outcome::resumable);
    let base = |one: &Workspace| situation::is_merged(context, &one.branch, &one.came_from);
    Ok(Since {
        can_resume: runs::has_workspace(layout, &state.run),
        is_asked,
        is_merged: state.workspace.as_ref().is_some_and(base),
        obstacles: match edited {
            Some(plan) => situation::before_start(context, plan),
            None if is_resumed => situation::before_resume(context, state),
            None => situation::before_start(context, &state.plan_view()),
        },
    })
}

/// How many tasks of the plan the run is not about, and are not finished.
fn others_open(layout: &Layout, state: &RunState, edited: Option<&Plan>) -> usize {
    let source = &state.start.source;
    match source {
        Source::Tasks { .. } => {
            let own = state.plan_view();
            let tasks = edited.unwrap_or(&own).tasks.iter();
            let open = tasks.filter(|task| !task.status.satisfies());
            open.filter(|task| !source.selects(&task.id)).count()
        }
        // A plan that cannot be read is reported by the commands that need it.
        Source::Prompt { .. } => {
            plan_file(&layout.plan()).ok().flatten().map_or(0, |plan| plan.open_tasks())
        }
        Source::Plan | Source::Planning { .. } => 0,
    }
}

/// Where no run is known, or the last one was put away with its plan.
fn without_run(
    place: &RunStore,
    work: Work,
    context: &Context,
) -> Result<StatusView, CommandError> {
    if let Some(plan) = plan_file(&place.layout.plan())? {
        let obstacles = situation::before_start(context, &plan);
        return Ok(StatusView::of_plan(&plan, obstacles));
    }
    let views = place.layout.views();
    let has_settings =
        ["settings.toml", "settings.json"].iter().any(|name| views.join(name).is_file());
    if !has_settings && work != Work::Archived {
        return Ok(StatusView::empty(Work::NotSetUp, Vec::new()));
    }
    Ok(StatusView::empty(work, situation::before_start(context, &Plan::default())))
}

/// The plan file, if there is one.
fn plan_file(path: &Path) -> Result<Option<Plan>, CommandError> {
    match project_file::text(path, project_file::LARGEST) {
        Ok(text) => plan_json::parse(&text).map(Some).map_err(|error| {
            let what = format!("{}: {error}", path.display());
            told(what, Vec::new(), error.help.clone(), exit::USAGE)
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(CommandError::File { doing: "read", path: path.to_owned(), source }),
    }
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
