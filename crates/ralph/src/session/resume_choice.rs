//! Which earlier run is meant: one that was interrupted, or one that ended and has since been asked for more.

use std::path::Path;

use ralph_core::{
    effect::DirtyPolicy,
    event::Source,
    ids::TaskId,
    outcome::Outcome,
    run::{Phase, RunState},
};
use ralph_engine::{journal, layout::Layout, plan_file, runs};

use super::{
    plan_status::{is_archived, is_asked, is_superseded, newest},
    project::Project,
    run_store::RunStore,
};
use crate::{
    args::run::{RunOptions, RunRequest, Work},
    ask::Lean,
    context::Context,
    diagnostics::CommandError,
};

/// A run that can be resumed.
pub(crate) struct Open {
    pub(crate) state: RunState,
    why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// It did not come to a final end.
    Interrupted,
    /// It ended, and a person has answered, approved or asked for something since.
    Asked,
}

/// The newest run, if it can be resumed: something of the user's or its own may wait in its workspace, or in
/// the inbox.
pub(crate) fn open_run(project: &Project) -> Result<Option<Open>, CommandError> {
    let newest = newest(&project.layout)?;
    newest.map_or(Ok(None), |state| opened(state, &project.layout))
}

/// A run, if it can be resumed.
fn opened(state: RunState, layout: &Layout) -> Result<Option<Open>, CommandError> {
    let why = match state.outcome() {
        None => Why::Interrupted,
        Some(_) if !runs::has_workspace(layout, &state.run) => return Ok(None),
        Some(outcome) if outcome.resumable() => Why::Interrupted,
        Some(_) if is_asked(layout, &state)? => Why::Asked,
        Some(_) => return Ok(None),
    };
    Ok(Some(Open { state, why }))
}

/// The run that `ralph resume` means: the one that is named, or the last.
pub(crate) fn to_resume(project: &Project, named: Option<&str>) -> Result<RunState, CommandError> {
    let layout = &project.layout;
    let Some(name) = named else {
        return match open_run(project)? {
            Some(open) if open.why == Why::Asked => up_to_date(open, layout),
            Some(open) => Ok(open.state),
            None => Err(nothing_to_resume(newest(layout)?.as_ref(), layout)),
        };
    };
    let run = RunStore { layout: layout.clone() }.run(Some(name))?;
    let state = journal::recover(&layout.journal(&run))?.state;
    let ended = state.how_it_ended().unwrap_or_default();
    match opened(state, layout)? {
        // What came after it worked on the same plan.
        Some(open) => up_to_date(open, layout),
        None => Err(CommandError::usage(
            format!("run {run} has ended: {ended}"),
            "ralph run starts a new one; ralph runs lists those that can be resumed",
        )),
    }
}

/// Why `ralph resume` has nothing to do. A run that waits for a person is not over, but only they can let it continue.
fn nothing_to_resume(newest: Option<&RunState>, layout: &Layout) -> CommandError {
    let (what, help) = match newest.map(|state| (state, state.outcome())) {
        Some((state, _)) if is_archived(layout, &state.run) => (
            format!("run {} cannot be resumed: its plan was archived", state.run),
            "start another with ralph plan \"what comes next\"",
        ),
        Some((state, Some(outcome @ Outcome::NeedsPerson { .. }))) => (
            format!("run {} cannot be resumed yet: {}", state.run, outcome.describe()),
            "ralph status shows what it needs from you; then use ralph resume",
        ),
        _ => (
            "there is no interrupted run to resume".to_owned(),
            "ralph run starts a new one; ralph runs lists earlier ones",
        ),
    };
    CommandError::usage(what, help)
}

/// Refuses a run whose plan was changed since it ended: it would bring its own back.
fn up_to_date(open: Open, layout: &Layout) -> Result<RunState, CommandError> {
    let state = open.state;
    if !is_superseded(layout, &state) {
        return Ok(state);
    }
    Err(CommandError::usage(
        format!("the plan has changed since run {} ended", state.run),
        "ralph run starts a new run with it and does what you asked for",
    ))
}

/// Whether a request to run means the open run rather than a new one.
pub(crate) fn is_meant(
    open: &Open,
    (request, options): (&RunRequest, &RunOptions),
    (project, context): (&Project, &Context),
) -> Result<bool, CommandError> {
    let state = &open.state;
    let id = &state.run;
    let layout = &project.layout;
    let say = |text: String| context.note(text);
    if !same_work(request, layout, state) {
        // One that died is ended before another begins, and that is told then.
        if open.why == Why::Interrupted && state.outcome().is_some() {
            say(format!(
                "run {id} ended early and is left as it is; ralph resume {id} continues it"
            ))?;
        }
        return Ok(false);
    }
    let crashed = !matches!(state.phase, Phase::Finished { .. });
    if !crashed && is_superseded(layout, state) {
        say(format!("the plan has changed since run {id} ended, so a new run starts with it"))?;
        return Ok(false);
    }
    let is_asked = open.why != Why::Asked && !options.resume && context.can_ask();
    let question = format!("Run {id} was interrupted. Resume it?");
    let is_meant = !is_asked || context.asker()?.confirm(&question, Lean::Yes)?;
    if is_meant {
        check_fits(request, options, state)?;
    }
    Ok(is_meant)
}

/// Where a run works is settled when it begins: what asks for another place is refused rather than passed over.
fn check_fits(
    request: &RunRequest,
    options: &RunOptions,
    state: &RunState,
) -> Result<(), CommandError> {
    let start = &state.start;
    let branch = request.branch.as_ref().filter(|name| **name != start.branch);
    let misfits = [
        branch.map(|name| format!("--branch {name}")),
        (options.wip && start.dirty != DirtyPolicy::Wip).then(|| "--wip".into()),
        (options.stash && start.dirty != DirtyPolicy::Stash).then(|| "--stash".into()),
        (options.worktree && !start.linked_worktree).then(|| "--worktree".into()),
    ];
    match misfits.into_iter().flatten().next() {
        None => Ok(()),
        Some(flag) => Err(CommandError::usage(
            format!(
                "run {} was interrupted and continues where it started: {flag} does not apply",
                state.run
            ),
            format!("ralph resume continues it; ralph run --fresh {flag} starts a new one"),
        )),
    }
}

/// Whether a request is about what a run was about.
pub(crate) fn same_work(request: &RunRequest, layout: &Layout, state: &RunState) -> bool {
    match (&request.work, &state.start.source) {
        (Work::Plan, Source::Plan) => same_plan(request, layout, state),
        (Work::Tasks(asked), Source::Tasks { ids }) if same_plan(request, layout, state) => {
            asked.iter().map(String::as_str).eq(ids.iter().map(TaskId::as_str))
        }
        (Work::Text(asked), Source::Prompt { file: None, text }) => asked == text,
        (Work::File(asked), Source::Prompt { file: Some(file), .. }) => {
            asked.canonicalize().is_ok_and(|path| path == Path::new(file))
        }
        _ => false,
    }
}

fn same_plan(request: &RunRequest, layout: &Layout, state: &RunState) -> bool {
    let asked = request.plan.clone().unwrap_or_else(|| layout.plan());
    let known = plan_file::of_run(layout, state);
    asked == known
        || asked.canonicalize().is_ok_and(|asked| Some(asked) == known.canonicalize().ok())
}
