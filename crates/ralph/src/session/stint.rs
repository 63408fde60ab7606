//! `__stint`: one process's share of a run, for whoever hands runs from machine to machine. Begins the plan's run or
//! takes it up, leaves where another process can go on, and says in one line of JSON on standard output how it left.
//!
//! Standard input is a leash: at its end this process dies as if it had been killed, and its shims clean up.

use std::{
    io::{self, Write as _},
    process, thread,
};

use ralph_core::{
    ids::TaskId,
    input::By,
    outcome::Outcome,
    plan::Status,
    report::Report,
    run::{Phase, RunState},
};
use ralph_text::{cut, sanitise};
use serde_json::{Value, json};

use super::{
    launch, plan_status,
    project::Project,
    resume::{Again, continue_run, kept_in},
    resume_choice,
    run_store::redactor,
};
use crate::{
    args::{
        run::{HeldOptions, RunArgs, RunOptions},
        stint::StintArgs,
    },
    context::Context,
    diagnostics::CommandError,
    exit,
    reporters::console::Progress,
    words::few,
};

/// Most tasks that are named with what they wait for.
const MOST_ASKS: usize = 10;
/// Longest text of one, in characters.
const LONGEST_ASK: usize = 300;

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
                held: HeldOptions { show_progress: Progress::None, ..HeldOptions::default() },
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
    let report = Report::of(state);
    said["asks"] = json!(asks(state, &report));
    said["weaker"] = json!(weaker(state, &report));
    said["run"] = json!(state.run);
    said["done"] = json!(state.tasks.iter().filter(|task| task.status == Status::Done).count());
    said["tasks"] = json!(state.tasks.len());
    said["iterations"] = json!(state.counters.iterations);
    said["cost_micro_usd"] = json!(state.usage.cost.0);
    said
}

/// What is less than proof in what is done, and what nobody did.
fn weaker(state: &RunState, report: &Report) -> Vec<String> {
    let line = |words: &str, tasks: &[TaskId]| {
        let tasks: Vec<&str> = tasks.iter().map(TaskId::as_str).collect();
        format!("{words}: {}", few(&tasks, MOST_ASKS))
    };
    let weaker = report.weaker.iter().map(|one| line(&one.words, &one.tasks));
    let skipped = |at: &usize| state.tasks[*at].status == Status::Skipped;
    let skipped: Vec<TaskId> =
        (0..state.tasks.len()).filter(skipped).map(|at| state.task_id(at)).collect();
    let skipped = (!skipped.is_empty()).then(|| line("skipped", &skipped));
    skipped.into_iter().chain(weaker).take(MOST_ASKS).collect()
}

/// The tasks that wait for a person: what the agent asks, or else why the task waits or was given up.
fn asks(state: &RunState, report: &Report) -> Vec<Value> {
    let redactor = redactor(&state.start.settings);
    let short = |text: &str| {
        let text = sanitise::clean(text).split_whitespace().collect::<Vec<_>>().join(" ");
        let text = redactor.text(&text).into_owned();
        let begins = cut::words(&text, LONGEST_ASK);
        if begins == text { text } else { format!("{begins} …") }
    };
    let parked = report.parked.iter().map(|one| match &one.question {
        Some(question) => json!({ "task": one.task, "question": short(question) }),
        None => json!({ "task": one.task, "why": short(&one.why) }),
    });
    let failed = report.failed.iter();
    let failed =
        failed.map(|one| json!({ "task": one.task, "why": short(&one.why), "failed": true }));
    parked.chain(failed).take(MOST_ASKS).collect()
}

/// Dies when whoever holds the other end of standard input does.
#[expect(clippy::exit, reason = "nobody is there to whom anything could be said")]
fn hold_on() {
    thread::spawn(|| {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        process::exit(exit::INTERRUPTED.into());
    });
}
