//! What is checked before a loop is submitted: everything that would otherwise fail on a worker, hours later. Changes
//! nothing.

use std::path::Path;

use super::{
    address, loop_id,
    work::{self, Work},
};
use crate::{
    cli::{SubmitArgs, unsafe_times},
    commands::{context::Context, git},
    error::{CommandError, exit},
    truth::unlike_any,
    wire::{Limits, LoopSpec},
};

/// A loop that can be started.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) id: String,
    pub(super) spec: LoopSpec,
    pub(super) plan: String,
    pub(super) settings: Option<String>,
    /// The open ones of the plan.
    pub(super) tasks: Vec<String>,
    /// The plan is worked through even where it is done.
    pub(super) again: bool,
}

/// Checks times, names, plan, settings and repository, in the order of what they cost.
pub(super) fn check(args: &SubmitArgs, context: &Context) -> Result<Checked, CommandError> {
    let times = args.times.times();
    let wrong = unsafe_times(&times);
    if !wrong.is_empty() {
        let help = "choose other times, or leave them at their defaults";
        return Err(CommandError::usage("these times do not fit together", help).because(wrong));
    }
    for (flag, name) in [("tenant", &args.tenant), ("account", &args.account)] {
        check_name(flag, name)?;
    }
    let folder = &context.folder;
    let work = work::read(args, folder)?;
    let branch = branch(args, &work);
    if !git::is_branch_name(&branch) {
        return Err(CommandError::usage(
            format!("{branch:?} is not a branch name"),
            "name another with --branch",
        ));
    }
    let repo = match &args.repo {
        Some(repo) => repo.clone(),
        None => origin(folder)?,
    };
    address::check(&repo)?;
    let id = loop_id::of(&repo, &branch)?;
    check_remote(folder, &repo, &branch)?;
    if args.repo.is_none() {
        warn_of_unpushed(folder, context)?;
    }
    let limits = Limits {
        iterations_per_stint: args.iterations_per_stint,
        minutes_per_stint: args.minutes_per_stint,
        budget: args.budget.clone(),
        ..Limits::default()
    };
    let (tenant, account) = (args.tenant.clone(), args.account.clone());
    let submission = format!("{:016x}", unlike_any());
    let spec = LoopSpec { repo, branch, tenant, account, submission, limits, times };
    let Work { plan, plan_text, settings_text, .. } = work;
    let open = plan.tasks.iter().filter(|task| !task.status.satisfies());
    let tasks = open.map(|task| task.id.to_string()).collect();
    Ok(Checked { id, spec, plan: plan_text, settings: settings_text, tasks, again: args.again })
}

/// Tenants and accounts become parts of queue names and of queries.
fn check_name(flag: &str, name: &str) -> Result<(), CommandError> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if !name.is_empty() && name.len() <= 64 && name.chars().all(fits) {
        return Ok(());
    }
    let what = format!("{name:?} is not a valid {flag} name");
    Err(CommandError::usage(what, "use at most 64 letters, digits, - _ and ."))
}

/// The branch as a run on one machine would choose it.
fn branch(args: &SubmitArgs, work: &Work) -> String {
    // Named as nothing it is refused, and not taken for one that was not named.
    if let Some(name) = &args.branch {
        return name.clone();
    }
    let named = [Some(&work.settings.git.branch), Some(&work.plan.branch)];
    if let Some(name) = named.into_iter().flatten().find(|name| !name.is_empty()) {
        return name.to_owned();
    }
    let words =
        work.plan.project.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let project = words.collect::<Vec<_>>().join("-").to_lowercase();
    format!("ralph/{}", if project.is_empty() { "work" } else { &project })
}

fn origin(folder: &Path) -> Result<String, CommandError> {
    let url = git::ask(folder, &["remote", "get-url", "origin"]);
    url.ok_or_else(|| {
        let what = "this folder has no remote named origin for workers to clone";
        CommandError::new(exit::WORKSPACE, what, "name the repository with --repo URL")
    })
}

fn check_remote(folder: &Path, repo: &str, branch: &str) -> Result<(), CommandError> {
    let remote = git::remote(folder, repo)?;
    if remote.is_empty {
        let what = format!("the repository {repo} has no commits yet");
        return Err(CommandError::new(exit::WORKSPACE, what, "push your first commit"));
    }
    if remote.default_branch.as_deref() == Some(branch) {
        let what = format!("{branch} is the repository's default branch");
        let help = "a loop needs a branch of its own; name one with --branch";
        return Err(CommandError::new(exit::WORKSPACE, what, help));
    }
    Ok(())
}

/// Workers clone from the remote: what was not pushed is not there.
fn warn_of_unpushed(folder: &Path, context: &Context) -> Result<(), CommandError> {
    let ahead = git::ask(folder, &["rev-list", "--count", "HEAD", "--not", "--remotes=origin"]);
    match ahead.and_then(|count| count.parse::<u64>().ok()) {
        Some(count @ 1..) => {
            let commits =
                if count == 1 { "1 commit is".to_owned() } else { format!("{count} commits are") };
            context
                .printer
                .warn(&format!("{commits} not pushed to origin; workers see only what is pushed"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_query_or_a_queue_would_misread_are_refused() {
        for name in ["team-1", "a.b_c"] {
            assert!(check_name("tenant", name).is_ok(), "{name}");
        }
        for name in ["", "a b", "x'", "a/b", "ü"] {
            assert!(check_name("account", name).is_err(), "{name}");
        }
    }
}
