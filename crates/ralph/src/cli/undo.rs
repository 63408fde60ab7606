//! `ralph undo N`: goes back to before an iteration of the last run.

use std::{collections::BTreeSet, path::Path};

use ralph_core::{
    event::Event,
    ids::{CommitId, RunId, TaskId},
    plan::Status,
    run::RunState,
};
use ralph_engine::{
    clock, journal, plan_file,
    run::{self, Undone},
};
use serde_json::json;

use crate::{
    args::commands::UndoArgs,
    context::{Context, answer_json},
    diagnostics::CommandError,
    exit,
    reporters::plain::clean,
    session::{
        plan_status,
        project::{Project, read_plan},
        run_store::RunStore,
    },
    words,
};

/// So many commits are named.
const NAMED: usize = 8;

/// Runs `ralph undo`.
pub(crate) fn exec(args: &UndoArgs, context: &Context) -> Result<u8, CommandError> {
    let project = Project::open(context, &[])?;
    let lock =
        plan_status::lock(&project.layout, "wait for the run to end, or stop it with ralph stop")?;
    let place = RunStore { layout: project.layout.clone() };
    let id = place.run(None)?;
    let state = journal::recover(&project.layout.journal(&id))?.state;
    check_place(&project, &state)?;
    let past = Past::of(&place, &id, args.iteration)?;
    let Some(before) = &past.before else {
        return Err(CommandError::usage(
            format!("run {id} accepted nothing in iteration {} or later", args.iteration),
            "ralph replay shows what each iteration did",
        ));
    };
    check_nothing_foreign(&project, &id, &past)?;
    let commits = commits(&project, before)?;
    let question = format!("Undo {}: {}?", words::count_of(&commits, "commit"), named(&commits));
    if context.agrees(args.yes, &question)? {
        let undone = take_back(&project, &state, &past, before)?;
        if context.json {
            let commits: Vec<&CommitId> = commits.iter().map(|(id, _)| id).collect();
            answer_json(&json!({ "v": 1, "run": id, "to": before, "undone": commits }))?;
        }
        context.done(format!("{undone}; undone: {}", named(&commits)))?;
    }
    lock.release()?;
    Ok(exit::DONE)
}

/// What the run did up to an iteration and from then on.
#[derive(Default)]
struct Past {
    /// Where the branch stood before that iteration's work was accepted, if any was.
    before: Option<CommitId>,
    /// Where the branch stood when the run began.
    began: Option<CommitId>,
    /// The last commit of the run.
    last: Option<CommitId>,
    /// Tasks that became done since.
    tasks: BTreeSet<TaskId>,
}

impl Past {
    fn of(place: &RunStore, run: &RunId, iteration: u32) -> Result<Self, CommandError> {
        let (mut past, mut now) = (Self::default(), 0);
        place.decisions(run, |decision| {
            for event in &decision.events {
                match event {
                    Event::WorkspaceOpened(workspace) if past.last.is_none() => {
                        past.began = Some(workspace.head.clone());
                        past.last.clone_from(&past.began);
                    }
                    Event::IterationStarted(start) => now = start.iteration,
                    Event::TaskMoved { task, to: Status::Done, .. } if now >= iteration => {
                        past.tasks.insert(task.clone());
                    }
                    Event::Committed { iteration: accepted, commit, .. } => {
                        if *accepted >= iteration && past.before.is_none() {
                            past.before.clone_from(&past.last);
                        }
                        past.last = Some(commit.clone());
                    }
                    _ => {}
                }
            }
        })?;
        Ok(past)
    }
}

fn commits(project: &Project, since: &CommitId) -> Result<Vec<(CommitId, String)>, CommandError> {
    Ok(project.repository.commits_since(since)?)
}

fn named(commits: &[(CommitId, String)]) -> String {
    let names: Vec<String> =
        commits.iter().map(|(id, subject)| format!("{} {}", id.short(), clean(subject))).collect();
    words::few(&names, NAMED)
}

/// What somebody else committed on top is theirs: it never goes along.
fn check_nothing_foreign(project: &Project, run: &RunId, past: &Past) -> Result<(), CommandError> {
    let Some(last) = &past.last else { return Ok(()) };
    let foreign = commits(project, last)?;
    if foreign.is_empty() {
        return Ok(());
    }
    let (count, are) = (words::count_of(&foreign, "commit"), words::verb(&foreign));
    Err(CommandError::new(
        exit::WORKSPACE,
        format!("{count} on top of run {run} {are} not part of it: {}", named(&foreign)),
        format!(
            "keep them on a branch of their own and try again: git branch mine && git reset --keep {}",
            last.short()
        ),
    ))
}

fn take_back(
    project: &Project,
    state: &RunState,
    past: &Past,
    before: &CommitId,
) -> Result<String, CommandError> {
    let time = clock::now().0.to_string();
    let undone = project.repository.undo_to(before, &time)?;
    let much = if past.began.as_ref() == Some(before) { Undone::All } else { Undone::Some };
    run::retire(&project.layout, &state.run, much)?;
    reopen_tasks(&plan_file::of_run(&project.layout, state), &past.tasks)?;
    let kept = undone.kept.map(|name| format!("; the former state is saved as {name}"));
    let tasks = match past.tasks.len() {
        0 => String::new(),
        1 => "; 1 task is pending again".into(),
        count => format!("; {} are pending again", words::count(count as u64, "task")),
    };
    let kept = kept.unwrap_or_default();
    Ok(format!("{} is back at {}{kept}{tasks}", undone.branch, undone.to.short()))
}

/// Only a run that ended can be undone, and only where its branch is checked out.
fn check_place(project: &Project, state: &RunState) -> Result<(), CommandError> {
    plan_status::check_ended(state)?;
    let run = &state.run;
    let branch = project.repository.branch()?;
    match &state.workspace {
        Some(workspace) if workspace.branch != branch => Err(CommandError::new(
            exit::WORKSPACE,
            format!("run {run} worked on {}, but {branch} is checked out", workspace.branch),
            format!("git switch {}", workspace.branch),
        )),
        _ => Ok(()),
    }
}

/// A task whose work was taken back is not done: the plan file must not say so.
fn reopen_tasks(file: &Path, undone: &BTreeSet<TaskId>) -> Result<(), CommandError> {
    if undone.is_empty() || !file.exists() {
        return Ok(());
    }
    let mut plan = read_plan(file)?;
    for task in &mut plan.tasks {
        if task.status == Status::Done && undone.contains(&task.id) {
            task.status = Status::Pending;
        }
    }
    plan_file::write(file, &plan).map_err(CommandError::file("write", file))
}
