//! `ralph undo N`: goes back to before an iteration of the last run.

use std::{collections::BTreeSet, path::Path};

use ralph_core::{
    event::Event,
    ids::{CommitId, RunId, TaskId},
    plan::Status,
    run::RunState,
};
use ralph_engine::{
    clock,
    journal::{self, Lock},
    plan_file, run,
};

use crate::{
    args::commands::UndoArgs,
    context::Context,
    diagnostics::CommandError,
    exit,
    reporters::{
        block::Entry,
        line::{Line, Sign},
        plain::clean,
    },
    session::{
        confirm,
        launch::last_run,
        project::{Project, read_plan, told, told_failure},
        run_store::RunStore,
    },
    words,
};

/// So many commits are named.
const NAMED: usize = 8;

/// Runs `ralph undo`.
pub(crate) fn exec(args: &UndoArgs, context: &Context) -> Result<u8, CommandError> {
    let project = Project::open(context, &[])?;
    let lock = Lock::take(&project.layout.lock(), clock::now()).map_err(|error| {
        let help = "wait for the run to end, or stop it with ralph stop".into();
        told(error.to_string(), Vec::new(), help, exit::LOCKED)
    })?;
    let id = last_run(&project)?;
    let state = journal::recover(&project.layout.journal(&id))?.state;
    check_place(&project, &state)?;
    let past = Past::of(&RunStore { layout: project.layout.clone() }, &id, args.iteration)?;
    let Some(before) = &past.before else {
        return Err(told(
            format!("run {id} accepted nothing in iteration {} or later", args.iteration),
            Vec::new(),
            "ralph replay shows what each iteration did".into(),
            exit::USAGE,
        ));
    };
    check_nothing_foreign(&project, &id, &past)?;
    let commits = commits(&project, before)?;
    let question = format!("Undo {}: {}?", words::count_of(&commits, "commit"), named(&commits));
    if confirm::agreed(args.yes, context, &question)? {
        let undone = take_back(&project, &state, &past, before)?;
        let gone = format!("{undone}; undone: {}", named(&commits));
        context.tell(&[Entry::led(Line::signed(Sign::Ok), gone)])?;
    }
    lock.release()?;
    Ok(exit::DONE)
}

/// What the run did up to an iteration and from then on.
#[derive(Default)]
struct Past {
    /// Where the branch stood before that iteration's work was accepted, if any was.
    before: Option<CommitId>,
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
                        past.last = Some(workspace.head.clone());
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
    project.repository.commits_since(since).map_err(|error| told_failure(error.into()))
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
    Err(told(
        format!("{count} on top of run {run} {are} not part of it: {}", named(&foreign)),
        Vec::new(),
        format!(
            "keep them on a branch of their own and try again: git branch mine && git reset --keep {}",
            last.short()
        ),
        exit::WORKSPACE,
    ))
}

fn take_back(
    project: &Project,
    state: &RunState,
    past: &Past,
    before: &CommitId,
) -> Result<String, CommandError> {
    let time = clock::now().0.to_string();
    let undone =
        project.repository.undo_to(before, &time).map_err(|error| told_failure(error.into()))?;
    run::retire(&project.layout, &state.run)?;
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
    let run = &state.run;
    if state.outcome().is_none() {
        return Err(told(
            format!("run {run} was interrupted and still holds its workspace"),
            Vec::new(),
            "continue it with ralph resume, or close it with ralph stop".into(),
            exit::WORKSPACE,
        ));
    }
    let branch = project.repository.branch().map_err(|error| told_failure(error.into()))?;
    match &state.workspace {
        Some(workspace) if workspace.branch != branch => Err(told(
            format!("run {run} worked on {}, but {branch} is checked out", workspace.branch),
            Vec::new(),
            format!("git switch {}", workspace.branch),
            exit::WORKSPACE,
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
    plan_file::write(file, &plan).map_err(|source| CommandError::File {
        doing: "write",
        path: file.to_owned(),
        source,
    })
}
