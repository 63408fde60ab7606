//! Whether a new run would begin without commits that the user has made since the run branch was begun.

use super::project::Project;
use crate::{
    args::run::RunRequest, ask::Lean, context::Context, diagnostics::CommandError, exit,
    words::count,
};

/// Asks, or refuses, where the run branch lacks commits of the checkout. Who names the branch means it as it is.
pub(crate) fn check(
    project: &Project,
    request: &RunRequest,
    branch: &str,
    context: &Context,
) -> Result<(), CommandError> {
    if request.branch.is_some() {
        return Ok(());
    }
    let repository = &project.repository;
    let behind = repository.left_behind(branch)?;
    if behind == 0 {
        return Ok(());
    }
    let standing = repository.standing()?;
    let base = standing.branch.unwrap_or_else(|| "HEAD".into());
    let lacks = format!("{branch} is missing {} of {base}", count(behind, "commit"));
    if context.can_ask() {
        let question = format!("{lacks}. Continue from {branch} without them?");
        if context.asker()?.confirm(&question, Lean::No)? {
            return Ok(());
        }
    }
    let help = format!(
        "merge them first (git switch {branch}, then git merge {base}), use another branch (--branch NAME), \
         or continue without them (--branch {branch})"
    );
    let why = vec!["the run would not see them, and its result would not contain them".into()];
    Err(CommandError::new(exit::WORKSPACE, lacks, help).because(why))
}
