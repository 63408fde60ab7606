//! Tasks that the plan calls done although the commits that proved them are not where a new run begins: another
//! branch was named, or the old one was deleted. Says so; decides nothing, because the work may have come another
//! way (a squash, a rebase).

use std::collections::BTreeMap;

use ralph_core::{
    event::RunStart,
    ids::{CommitId, TaskId},
    plan::{Plan, Status, Task, formats::source::is_imported_as_done},
};
use ralph_engine::runs;

use super::project::Project;
use crate::{context::Context, diagnostics::CommandError, words};

/// So many tasks are named.
const NAMED: usize = 5;

/// Warns of work that the plan takes for granted and the run's branch does not have.
pub(crate) fn warn(
    project: &Project,
    start: &RunStart,
    context: &Context,
) -> Result<(), CommandError> {
    let proved = proofs(project, &start.plan);
    let commits: Vec<&CommitId> = proved.values().collect();
    let missing = project.repository.commits_missing_on(&start.branch, &commits)?;
    let tasks: Vec<&str> = proved
        .iter()
        .filter(|(_, commit)| missing.contains(*commit))
        .map(|(task, _)| task.as_str())
        .collect();
    if tasks.is_empty() {
        return Ok(());
    }
    let (names, verb) = (words::few(&tasks, NAMED), words::verb(&tasks));
    let commit = if tasks.len() == 1 { "its commit is" } else { "their commits are" };
    context.warn(format!(
        "{names} {verb} done in the plan, but {commit} not on the branch that this run begins with. If the work did \
         not get there in another way (a squash, a rebase), do it again: ralph task retry {}",
        tasks.first().unwrap_or(&"ID")
    ))
}

/// The last commit of each task that is done by the word of a former run.
fn proofs(project: &Project, plan: &Plan) -> BTreeMap<TaskId, CommitId> {
    let is_done = |task: &&Task| task.status == Status::Done && !is_imported_as_done(task);
    let mut wanted: Vec<&TaskId> = plan.tasks.iter().filter(is_done).map(|task| &task.id).collect();
    let mut proved = BTreeMap::new();
    let mut past = runs::states(&project.layout, runs::worked(&project.layout).into_iter().rev());
    while !wanted.is_empty()
        && let Some(state) = past.next()
    {
        wanted.retain(|task| {
            let at = state.start.plan.position(task);
            let commit = at.and_then(|at| state.detail(at)?.commits.last());
            if let Some(commit) = commit {
                proved.insert((*task).clone(), commit.clone());
            }
            commit.is_none()
        });
    }
    proved
}
