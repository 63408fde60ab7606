//! `ralph fleet submit`: checks the work, puts it beside its repository, and starts a loop on it.

mod loop_id;
mod preflight;
mod work;

use serde_json::json;

use self::preflight::Checked;
use super::{
    context::Context,
    reach::{Reached, is_open, taken},
    restart, result,
};
use crate::{
    cli::SubmitArgs,
    error::{CommandError, exit},
    print,
    truth::{self, SeedError, SeedFiles, Seeded},
    wire::{Carry, LoopInput},
};

/// Runs `ralph fleet submit`.
pub(super) async fn exec(args: &SubmitArgs, context: &Context) -> Result<u8, CommandError> {
    let checked = preflight::check(args, context)?;
    if args.dry_run {
        return said(&checked, "can be submitted", context);
    }
    let client = context.client().await?;
    let reached = Reached::new(&client, &checked.id);
    // Before its truth is touched: a loop that runs and holds no lease just now has one all the same.
    if reached.look().await?.as_ref().is_some_and(is_open) {
        return Err(taken(&checked.id));
    }
    let seeded = seed(&checked)?;
    let input = LoopInput { spec: checked.spec.clone(), carry: Carry::default() };
    let started = restart::start(&client, &checked.id, input).await;
    if let Err(error) = started.and_then(|is_new| is_new.then_some(()).ok_or(taken(&checked.id))) {
        return Err(put_back(&checked, &seeded, error));
    }
    if !args.wait {
        return said(&checked, "started", context);
    }
    context.printer.done(&format!("{} started", checked.id))?;
    result::wait(&reached, context).await
}

/// Puts plan and settings beside the repository, unless somebody works there.
fn seed(checked: &Checked) -> Result<Seeded, CommandError> {
    let files = SeedFiles {
        plan: checked.plan.clone().into_bytes(),
        settings: checked.settings.clone().map(String::into_bytes),
    };
    match truth::seed(&checked.spec.repo, &checked.spec.branch, &files) {
        Ok(seeded) => Ok(seeded),
        Err(SeedError::Held { holder }) => {
            let why = vec![format!("its lease is held by {holder}")];
            Err(taken(&checked.id).because(why))
        }
        Err(error) => {
            let what = format!("cannot put the plan beside {}", checked.spec.repo);
            let help = "check that you may push to refs/ralph/*; ralph fleet doctor tries it";
            Err(CommandError::new(exit::WORKSPACE, what, help).because(crate::error::chain(&error)))
        }
    }
}

/// No loop was started: the branch's truth is again what it was.
fn put_back(checked: &Checked, seeded: &Seeded, error: CommandError) -> CommandError {
    match truth::unseed(&checked.spec.repo, &checked.spec.branch, seeded) {
        Ok(()) => error,
        Err(why) => error.because(vec![format!(
            "the branch's former truth could not be put back: {why:#}; it was {}",
            seeded.before.as_deref().unwrap_or("none")
        )]),
    }
}

fn said(checked: &Checked, what: &str, context: &Context) -> Result<u8, CommandError> {
    let Checked { id, spec, tasks, .. } = checked;
    if context.printer.is_json {
        let answer = json!({ "v": 1, "loop": id, "repo": spec.repo, "branch": spec.branch, "tenant": spec.tenant,
            "account": spec.account, "tasks": tasks, "started": what == "started" });
        print::answer_json(&answer)?;
        return Ok(exit::DONE);
    }
    let count = if *tasks == 1 { "1 task".to_owned() } else { format!("{tasks} tasks") };
    context
        .printer
        .done(&format!("{id} {what}: {count}, account {}, tenant {}", spec.account, spec.tenant))?;
    if what == "started" {
        context.printer.next(&format!("ralph fleet watch {id}"))?;
    }
    Ok(exit::DONE)
}
