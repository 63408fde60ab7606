//! `ralph fleet submit`: checks the work, puts it beside its repository, and starts a loop on it.

mod address;
mod loop_id;
mod preflight;
mod start;
mod work;

use std::collections::BTreeSet;

use serde_json::json;
use temporalio_client::Client;

use self::preflight::Checked;
use super::{
    context::Context,
    reach::{Reached, is_open, taken},
    result,
};
use crate::{
    cli::SubmitArgs,
    error::{CommandError, exit},
    print,
    truth::{self, SeedError, SeedFiles},
};

/// Runs `ralph fleet submit`.
pub(super) async fn exec(args: &SubmitArgs, context: &Context) -> Result<u8, CommandError> {
    let checked = preflight::check(args, context)?;
    let client = context.client().await?;
    let reached = Reached::new(&client, &checked.id);
    // Before its truth is touched: a loop that runs and holds no lease just now has one all the same.
    if reached.look().await?.as_ref().is_some_and(is_open) {
        return Err(taken(&checked.id));
    }
    refuse_if_owned(&client, &checked).await?;
    let files = files(&checked, args.take_over);
    if args.dry_run {
        let seen = truth::check(&checked.spec.repo, &checked.spec.branch, &files);
        let done = seen.map_err(|error| not_seeded(&checked, &error))?;
        warn_of_work_done_twice(&checked, &done, context)?;
        return said(&checked, "can be submitted", context);
    }
    let seeded = truth::seed(&checked.spec.repo, &checked.spec.branch, &files);
    let seeded = seeded.map_err(|error| not_seeded(&checked, &error))?;
    start::start(&client, &reached, (&checked, &seeded)).await?;
    warn_of_work_done_twice(&checked, &seeded.done, context)?;
    if !args.wait {
        return said(&checked, "started", context);
    }
    context.printer.done(&format!("{} started", checked.id))?;
    let code = tokio::select! {
        ended = result::wait(&reached, context) => ended?,
        _ = tokio::signal::ctrl_c() => {
            let id = &checked.id;
            print::note(&format!("{id} continues: ralph fleet watch {id} shows it, ralph fleet stop {id} ends it"))?;
            return Ok(exit::INTERRUPTED);
        }
    };
    if !context.printer.is_json && code == exit::DONE {
        let from = args.repo.as_deref().unwrap_or("origin");
        context.printer.next(&format!("git fetch {from} {}", checked.spec.branch))?;
    }
    Ok(code)
}

/// Another plan is another run, which knows nothing of what the one before it has done.
fn warn_of_work_done_twice(
    checked: &Checked,
    done: &BTreeSet<String>,
    context: &Context,
) -> Result<(), CommandError> {
    if checked.again {
        return Ok(());
    }
    let twice: Vec<&str> =
        checked.tasks.iter().filter(|id| done.contains(*id)).map(String::as_str).collect();
    if twice.is_empty() {
        return Ok(());
    }
    context.printer.warn(&format!(
        "the plan has changed, so the loop works through all of it and repeats tasks that are done on the \
         branch: {}; mark in the plan what needs no more work",
        twice.join(", ")
    ))
}

/// A repository may have several addresses, and each names another loop: only one of them works on a branch.
async fn refuse_if_owned(client: &Client, checked: &Checked) -> Result<(), CommandError> {
    let owner = truth::owner(&checked.spec.repo, &checked.spec.branch);
    let owner = owner.map_err(|error| not_put(checked, error.as_ref()))?;
    let Some(owner) = owner.filter(|owner| *owner != checked.id) else { return Ok(()) };
    match Reached::new(client, &owner).look().await? {
        Some(other) if is_open(&other) => Err(taken(&owner)),
        _ => Ok(()),
    }
}

/// What is put beside the repository.
fn files(checked: &Checked, takes_over: bool) -> SeedFiles {
    SeedFiles {
        plan: checked.plan.clone().into_bytes(),
        settings: checked.settings.clone().map(String::into_bytes),
        key: checked.id.clone(),
        submission: checked.spec.submission.clone(),
        takes_over,
        again: checked.again,
    }
}

fn not_seeded(checked: &Checked, error: &SeedError) -> CommandError {
    match error {
        SeedError::Held { holder } => {
            let what = format!("{} is held by {holder}", checked.spec.branch);
            let help = "wait until its stint ends; if that host and its server are gone for good, \
                        add --take-over";
            CommandError::new(exit::LOCKED, what, help)
        }
        SeedError::Done => CommandError::usage(
            format!("this plan is already done on {}", checked.spec.branch),
            "submit another plan, choose another --branch, or work through it again with --again",
        ),
        _ => not_put(checked, error),
    }
}

fn not_put(checked: &Checked, error: &(dyn std::error::Error + 'static)) -> CommandError {
    let what = format!("cannot push the plan to {}", checked.spec.repo);
    let help = "check that you may push to refs/ralph/*; ralph fleet doctor tests it";
    CommandError::new(exit::WORKSPACE, what, help).because(crate::error::chain(error))
}

fn said(checked: &Checked, what: &str, context: &Context) -> Result<u8, CommandError> {
    let Checked { id, spec, tasks, .. } = checked;
    let tasks = tasks.len();
    if context.printer.is_json {
        let answer = json!({ "v": 1, "loop": id, "repo": spec.repo, "branch": spec.branch, "tenant": spec.tenant,
            "account": spec.account, "tasks": tasks, "started": what == "started" });
        print::answer_json(&answer)?;
        return Ok(exit::DONE);
    }
    let count = if tasks == 1 { "1 task".to_owned() } else { format!("{tasks} tasks") };
    context
        .printer
        .done(&format!("{id} {what}: {count}, account {}, tenant {}", spec.account, spec.tenant))?;
    if what == "started" {
        context.printer.next(&format!("ralph fleet watch {id}"))?;
    }
    Ok(exit::DONE)
}
