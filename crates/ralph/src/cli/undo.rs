//! `ralph undo N`: goes back to before an iteration of the last run.

use std::collections::BTreeSet;

use ralph_core::{
    event::Event,
    ids::{CommitId, RunId, TaskId},
    plan::Status,
};
use ralph_engine::{
    clock,
    journal::{self, Lock},
    run,
};

use crate::command_line::{args::UndoArgs, context::Context};
use crate::session::{
    launch::last_run,
    place::Place,
    project::{Project, told, told_failure},
};
use crate::{
    diagnostics::CommandError,
    exit,
    reporters::{
        block::Entry,
        line::{Line, Sign},
    },
    words,
};

/// Runs `ralph undo`.
pub(crate) fn exec(args: &UndoArgs, context: &Context) -> Result<u8, CommandError> {
    let project = Project::open(context, &[])?;
    let lock = Lock::take(&project.layout.lock(), clock::now()).map_err(|error| {
        let help = "wait for the run to end, or ralph stop".into();
        told(error.to_string(), Vec::new(), help, exit::LOCKED)
    })?;
    let id = last_run(&project)?;
    let place = Place { layout: project.layout.clone() };
    check_place(&project, &id)?;
    let mut before: Option<CommitId> = None;
    let mut found = None;
    let (mut now, mut undone_tasks) = (0, BTreeSet::new());
    place.decisions(&id, |decision| {
        for event in &decision.events {
            match event {
                Event::WorkspaceOpened(workspace) if before.is_none() => {
                    before = Some(workspace.head.clone());
                }
                Event::IterationStarted(start) => now = start.iteration,
                Event::TaskMoved { task, to: Status::Done, .. } if now >= args.iteration => {
                    undone_tasks.insert(task.clone());
                }
                Event::Committed { iteration, commit, .. } => {
                    if *iteration >= args.iteration && found.is_none() {
                        found.clone_from(&before);
                    }
                    before = Some(commit.clone());
                }
                _ => {}
            }
        }
    })?;
    let Some(commit) = found else {
        return Err(told(
            format!("run {id} accepted nothing in iteration {} or later", args.iteration),
            Vec::new(),
            "ralph replay shows what each iteration did".into(),
            exit::USAGE,
        ));
    };
    let time = clock::now().0.to_string();
    let undone =
        project.repository.undo_to(&commit, &time).map_err(|error| told_failure(error.into()))?;
    run::retire(&project.layout, &id)?;
    reopen_tasks(&project, &undone_tasks)?;
    let kept = undone.kept.map(|name| format!("; what was there is kept as {name}"));
    let tasks = match undone_tasks.len() {
        0 => String::new(),
        1 => "; 1 task is pending again".into(),
        count => format!("; {} are pending again", words::count(count as u64, "task")),
    };
    let kept = kept.unwrap_or_default();
    let text = format!("{} is back at {}{kept}{tasks}", undone.branch, undone.to.short());
    context.tell(&[Entry::led(Line::signed(Sign::Ok), text)])?;
    lock.release()?;
    Ok(exit::DONE)
}

/// Only a run that ended can be undone, and only where its branch is checked out.
fn check_place(project: &Project, run: &RunId) -> Result<(), CommandError> {
    let state = journal::recover(&project.layout.journal(run))?.state;
    if state.outcome().is_none() {
        return Err(told(
            format!("run {run} was interrupted and still holds its workspace"),
            Vec::new(),
            "ralph resume takes it up; ralph stop then ends it in order".into(),
            exit::WORKSPACE,
        ));
    }
    let branch = project.repository.branch().map_err(|error| told_failure(error.into()))?;
    match state.workspace {
        Some(workspace) if workspace.branch != branch => Err(told(
            format!("run {run} worked on {}, and {branch} is checked out", workspace.branch),
            Vec::new(),
            format!("git switch {}", workspace.branch),
            exit::WORKSPACE,
        )),
        _ => Ok(()),
    }
}

/// A task whose work was taken back is not done: the plan file must not say so.
fn reopen_tasks(project: &Project, undone: &BTreeSet<TaskId>) -> Result<(), CommandError> {
    let path = project.layout.plan();
    if undone.is_empty() || !path.exists() {
        return Ok(());
    }
    let mut plan = project.plan(None)?;
    for task in &mut plan.tasks {
        if task.status == Status::Done && undone.contains(&task.id) {
            task.status = Status::Pending;
        }
    }
    run::write_plan(&project.layout, &plan).map_err(|source| CommandError::File {
        doing: "write",
        path,
        source,
    })
}
