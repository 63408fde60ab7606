//! `__stint`: one process's share of a run, for whoever hands runs from machine to machine. Begins the plan's run or
//! takes it up, leaves where another process can go on, and says in one line of JSON on standard output how it left.
//!
//! Standard input is a leash: at its end this process dies as if it had been killed, and its shims clean up.

use std::{
    io::{self, Write as _},
    process, thread,
};

use ralph_core::{
    input::By,
    outcome::Outcome,
    plan::Status,
    run::{Phase, RunState},
};
use serde_json::{Value, json};

use super::{
    launch, plan_status,
    project::Project,
    resume::{Again, continue_run, kept_in},
    resume_choice,
};
use crate::{
    args::{
        run::{RunArgs, RunOptions},
        stint::StintArgs,
    },
    context::Context,
    diagnostics::CommandError,
    exit,
    reporters::console::Progress,
};

/// Does this process's share.
pub(crate) fn stint(args: &StintArgs, context: &Context) -> Result<u8, CommandError> {
    hold_on();
    let layout = Project::open(context, &[])?.layout;
    let code = share(args, context)?;
    let state = plan_status::newest(&layout)?;
    let end = state.as_ref().map_or_else(
        || json!({ "end": "finished", "outcome": exit::meaning(code), "exit": code }),
        how_left,
    );
    writeln!(io::stdout().lock(), "{end}")?;
    let goes_on = state.as_ref().is_some_and(is_open);
    Ok(if goes_on { exit::DONE } else { code })
}

fn share(args: &StintArgs, context: &Context) -> Result<u8, CommandError> {
    let project = Project::open(context, &[])?;
    let by = if args.by_person { By::Person } else { By::Machine };
    let ended = plan_status::newest(&project.layout)?;
    let ended = ended.as_ref().and_then(RunState::outcome).map(Outcome::exit_code);
    match (resume_choice::open_run(&project)?, ended) {
        (Some(open), _) if by == By::Person || is_open(&open.state) => {
            let how = Again {
                max_iterations: None,
                reloaded: kept_in(&project, &open.state)?,
                is_reloaded: false,
                ok_on_limit: false,
                progress: Progress::None,
                by,
                share: Some(args.share()),
            };
            continue_run(project, &open.state, how, context)
        }
        // It has ended, and nobody has asked for more.
        (_, Some(code)) => Ok(code),
        (_, None) => {
            let options = RunOptions {
                branch: args.branch.clone(),
                show_progress: Progress::None,
                share: Some(args.share()),
                ..RunOptions::default()
            };
            let run = RunArgs { options, ..RunArgs::default() };
            launch::run(&run.request()?, &run.options, context)
        }
    }
}

/// Whether another process can go on with a run as it is.
fn is_open(state: &RunState) -> bool {
    matches!(state.outcome(), None | Some(Outcome::Interrupted { .. }))
}

fn how_left(state: &RunState) -> Value {
    let mut said = match (state.outcome(), &state.phase) {
        (Some(Outcome::NeedsPerson { why }), _) => json!({ "end": "needs_person", "why": why }),
        (Some(outcome), _) if !is_open(state) => {
            json!({ "end": "finished", "outcome": outcome.describe(), "exit": outcome.exit_code() })
        }
        (None, Phase::Waiting { until }) => {
            // The pause between two iterations is nobody else's business, an account's limit is.
            let limited = state.resting.values().any(|rest| rest.until == Some(*until));
            json!({ "end": "wait", "until_ms": until.0, "limited": limited })
        }
        (None, Phase::Paused { .. }) => json!({ "end": "needs_person", "why": "paused" }),
        _ => json!({ "end": "boundary" }),
    };
    said["run"] = json!(state.run);
    said["done"] = json!(state.tasks.iter().filter(|task| task.status == Status::Done).count());
    said["tasks"] = json!(state.tasks.len());
    said["iterations"] = json!(state.counters.iterations);
    said["cost_micro_usd"] = json!(state.usage.cost.0);
    said
}

/// Dies when whoever holds the other end of standard input does.
#[expect(clippy::exit, reason = "nobody is there to whom anything could be said")]
fn hold_on() {
    thread::spawn(|| {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        process::exit(exit::INTERRUPTED.into());
    });
}
