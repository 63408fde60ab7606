//! What keeps a run from starting or continuing here, before there is one. Looks, and changes nothing.

use std::path::Path;

use ralph_core::{
    effect::{DirtyPolicy, OpenWorkspace},
    event::{RunStart, Source},
    next_command::{Obstacle, Situation, Work, next_command},
    plan::Plan,
    run::{self as core, RunState, StartOptions},
};
use ralph_engine::git::{self, GitError, Repository};

use super::{installed, project::Project};
use crate::{
    context::{Context, Entry, next_step, variable},
    diagnostics::CommandError,
};

/// Refuses a new run that could not get onto its branch: nothing is left of it then.
pub(crate) fn check_start(project: &Project, start: &RunStart) -> Result<(), CommandError> {
    refuse(&project.repository, &request(start))
}

/// The same before there is a plan: a person should not wait for one that could not be worked on here.
pub(crate) fn check_folder(
    folder: &Path,
    dirty: DirtyPolicy,
    linked_worktree: bool,
) -> Result<(), CommandError> {
    refuse(&Repository::discover(folder)?, &OpenWorkspace { dirty, linked_worktree, ..any() })
}

/// The same for a run that continues.
pub(crate) fn check_resume(project: &Project, state: &RunState) -> Result<(), CommandError> {
    if finds_its_own(state) { Ok(()) } else { refuse(&project.repository, &resumed(state)) }
}

/// Whether a run may find what it wrote itself, and looks at that itself: one that died its work, and one whose plan
/// is a file of the project the statuses in it.
fn finds_its_own(state: &RunState) -> bool {
    state.outcome().is_none() || state.start.plan_file.is_some()
}

fn refuse(repository: &Repository, request: &OpenWorkspace) -> Result<(), CommandError> {
    match repository.obstacles(request)?.into_iter().next() {
        Some(error) => Err(error.into()),
        None => Ok(()),
    }
}

fn request(start: &RunStart) -> OpenWorkspace {
    OpenWorkspace {
        branch: start.branch.clone(),
        dirty: start.dirty,
        linked_worktree: start.linked_worktree,
        resume_at: None,
        only_looks: false,
    }
}

fn resumed(state: &RunState) -> OpenWorkspace {
    OpenWorkspace { resume_at: Some(state.head.clone()), ..request(&state.start) }
}

/// Of a run that nothing is known of yet.
fn any() -> OpenWorkspace {
    OpenWorkspace {
        branch: String::new(),
        dirty: DirtyPolicy::Refuse,
        linked_worktree: false,
        resume_at: None,
        only_looks: false,
    }
}

/// What keeps any run from starting in a folder, settings and plan aside.
pub(crate) fn of_folder(folder: &Path) -> Vec<Obstacle> {
    match Repository::discover(folder).and_then(|here| here.obstacles(&any())) {
        Ok(found) => found.iter().map(obstacle).collect(),
        Err(error @ GitError::NoRepository { .. }) => {
            let is_nobody = matches!(git::identity(folder), (None, _) | (_, None));
            let identity = is_nobody.then_some(Obstacle::NoIdentity);
            [obstacle(&error)].into_iter().chain(identity).chain([Obstacle::NoCommit]).collect()
        }
        Err(error) => vec![obstacle(&error)],
    }
}

/// What keeps a plan from being worked on.
pub(crate) fn before_start(context: &Context, plan: &Plan) -> Vec<Obstacle> {
    let Ok(project) = installed::open(context, &[]) else { return vec![unreadable()] };
    let mut obstacles = of_folder(&context.project_dir);
    let settings = project.resolved.settings;
    let path = variable("PATH");
    if installed::check_named(&settings, project.repository.root(), path.as_deref()).is_err() {
        obstacles.push(Obstacle::NoAgent);
    }
    if !plan.tasks.is_empty() {
        let begun = core::begin(Source::Plan, plan.clone(), settings, StartOptions::default());
        obstacles.extend(begun.err().map(|error| Obstacle::Other { help: error.help().into() }));
    }
    obstacles
}

/// What keeps a run from continuing.
pub(crate) fn before_resume(context: &Context, state: &RunState) -> Vec<Obstacle> {
    let Ok(project) = Project::open(context, &[]) else { return vec![unreadable()] };
    let mut obstacles = Vec::new();
    if !finds_its_own(state) {
        let found = project.repository.obstacles(&resumed(state)).unwrap_or_default();
        obstacles.extend(found.iter().map(obstacle));
    }
    let path = variable("PATH");
    if installed::check(state, project.repository.root(), path.as_deref()).is_err() {
        obstacles.push(Obstacle::NoAgent);
    }
    obstacles
}

/// The line that says what to do next.
pub(crate) fn next_line(work: Work, obstacles: Vec<Obstacle>) -> Entry {
    next_step(next_command(&Situation { obstacles, work }).to_string())
}

/// Whether all of a branch is in the branch that its run came from.
pub(crate) fn is_merged(context: &Context, branch: &str, base: &str) -> bool {
    let ahead =
        Repository::discover(&context.project_dir).and_then(|here| here.is_ahead(branch, base));
    matches!(ahead, Ok(false))
}

fn unreadable() -> Obstacle {
    Obstacle::Other { help: "fix the settings (ralph doctor lists what is wrong)".into() }
}

fn obstacle(error: &GitError) -> Obstacle {
    match error {
        GitError::NotInstalled => Obstacle::NoGit,
        GitError::NoRepository { .. } => Obstacle::NoRepository,
        GitError::NoCommit => Obstacle::NoCommit,
        GitError::NoIdentity { .. } => Obstacle::NoIdentity,
        GitError::DetachedHead => Obstacle::Detached,
        GitError::Dirty { .. } => Obstacle::Changes,
        error => Obstacle::Other { help: error.help() },
    }
}
