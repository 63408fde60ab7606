//! Passes a person's request on: to the run under way, the next one, or the plan file. What is not possible is
//! refused at once.

use ralph_core::{
    input::Wish,
    plan::{
        amend,
        person::{self, NotPossible, TaskWish},
    },
};
use ralph_engine::{clock, inbox, journal::Lock, plan_file};
use serde::Serialize;

use crate::{
    context::{Context, answer_json},
    diagnostics::CommandError,
    exit,
    reporters::{block::Entry, line::Sign},
    session::{
        plan_status::{PlanStatus, Taker},
        project::{read_plan, told},
    },
};

/// What became of a wish; what `--json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct AskView {
    v: u32,
    wish: &'static str,
    task: Option<String>,
    proposal: Option<u32>,
    /// `now`, `after_iteration` or `next_run`.
    taken: &'static str,
}

/// Checks a wish and brings it on its way.
pub(crate) fn ask(
    standing: &PlanStatus,
    wish: &TaskWish,
    context: &Context,
) -> Result<u8, CommandError> {
    let (taken, text) = pass_on(standing, wish)?;
    if context.json {
        let task = wish.task().map(|id| id.0.clone());
        let proposal = match wish {
            TaskWish::Accept { proposal } | TaskWish::Decline { proposal, .. } => Some(*proposal),
            _ => None,
        };
        answer_json(&AskView { v: 1, wish: wish.word(), task, proposal, taken })?;
    }
    context.tell(&[Entry::signed(Sign::Ok, text)])?;
    Ok(exit::DONE)
}

/// The same without saying anything: when it is taken, as a word and as a sentence.
pub(crate) fn pass_on(
    standing: &PlanStatus,
    wish: &TaskWish,
) -> Result<(&'static str, String), CommandError> {
    check(standing, wish)?;
    let at_once = matches!(
        wish,
        TaskWish::Add { .. }
            | TaskWish::Edit { .. }
            | TaskWish::Skip { .. }
            | TaskWish::Retry { .. }
    );
    if standing.taker == Taker::File && at_once {
        write(standing, wish)?;
        return Ok(("now", done(wish)));
    }
    let inbox = standing.layout.inbox();
    inbox::put(&standing.layout, &Wish::Task { change: wish.clone() })
        .map_err(CommandError::file("write to", &inbox))?;
    let (taken, when) = when(standing, wish);
    Ok((taken, format!("{}: {when}", words(wish))))
}

/// A refusal of the core's, for a person.
pub(crate) fn refused(error: &NotPossible) -> CommandError {
    told(error.to_string(), Vec::new(), error.help().into(), exit::USAGE)
}

/// `skip T-003`, as it was typed.
pub(crate) fn words(wish: &TaskWish) -> String {
    match wish {
        TaskWish::Accept { proposal } | TaskWish::Decline { proposal, .. } => {
            format!("{} proposal {proposal}", wish.word())
        }
        _ => format!("{} {}", wish.word(), wish.task().map_or("", |id| id.as_str())),
    }
}

/// Refuses what the run would refuse, with everything that waits already taken into account.
fn check(standing: &PlanStatus, wish: &TaskWish) -> Result<(), CommandError> {
    let plan = standing.foreseen();
    let (number, accepts) = match wish {
        TaskWish::Accept { proposal } => (*proposal, true),
        TaskWish::Decline { proposal, .. } => (*proposal, false),
        _ => {
            return person::rule(&plan, wish).map_err(|error| {
                let same = standing.waiting.iter().filter(|earlier| earlier.task() == wish.task());
                let why =
                    same.map(|earlier| format!("{} is waiting to be applied", words(earlier)));
                told(error.to_string(), why.collect(), error.help().into(), exit::USAGE)
            });
        }
    };
    let proposals = standing.state.as_ref().map(|state| &state.proposals);
    let Some(one) = proposals.and_then(|proposals| proposals.get(&number)) else {
        let help = "ralph task proposals lists those that are waiting";
        let what = format!("no proposal {number} is waiting for a decision");
        return Err(told(what, Vec::new(), help.into(), exit::USAGE));
    };
    let decided = |earlier: &TaskWish| {
        matches!(earlier, TaskWish::Accept { proposal } | TaskWish::Decline { proposal, .. }
            if *proposal == number)
    };
    if standing.waiting.iter().any(decided) {
        let what = format!("proposal {number} is already decided; the run has not applied it yet");
        let help = "ralph task list shows what waits";
        return Err(told(what, Vec::new(), help.into(), exit::USAGE));
    }
    if accepts && let Err(why) = amend::fits(&plan, &one.proposal.amendment) {
        let what = format!("proposal {number} no longer fits the plan: {why}");
        let help = format!("ralph task proposals --decline {number}");
        return Err(told(what, Vec::new(), help, exit::USAGE));
    }
    Ok(())
}

/// Changes the plan file, holding the lock so that no run begins meanwhile.
fn write(standing: &PlanStatus, wish: &TaskWish) -> Result<(), CommandError> {
    let lock = Lock::take(&standing.layout.lock(), clock::now()).map_err(|error| {
        let help =
            "a run has just started; repeat the command and the run applies it between iterations";
        told(error.to_string(), Vec::new(), help.into(), exit::LOCKED)
    })?;
    let path = standing.layout.plan();
    let mut plan = read_plan(&path)?;
    person::apply_wish(&mut plan, wish).map_err(|error| refused(&error))?;
    plan_file::write(&path, &plan).map_err(|source| CommandError::File {
        doing: "write",
        path,
        source,
    })?;
    lock.release()?;
    Ok(())
}

/// What was done to the plan file.
fn done(wish: &TaskWish) -> String {
    match wish {
        TaskWish::Add { task } => format!("{} is added: {}", task.id, task.title),
        TaskWish::Edit { id, changes } => {
            format!("{id} is changed: {}", changes.names().join(", "))
        }
        TaskWish::Skip { id, .. } => format!("{id} is skipped"),
        TaskWish::Retry { id } => format!("{id} is pending again"),
        _ => words(wish),
    }
}

/// When a wish is taken, as a word and as a sentence.
fn when(standing: &PlanStatus, wish: &TaskWish) -> (&'static str, String) {
    let of_run = standing.state.as_ref().filter(|state| state.takes(wish));
    match (&standing.taker, of_run) {
        (Taker::Running(owner), Some(state)) if owner.run.as_ref() == Some(&state.run) => {
            ("after_iteration", format!("run {} applies it after this iteration", state.run))
        }
        (Taker::NextRun, Some(_)) => {
            ("next_run", "the next `ralph run` or `ralph resume` applies it".into())
        }
        (Taker::Resumed, Some(_)) => ("next_run", "`ralph resume` applies it".into()),
        _ => ("next_run", "the next `ralph run` applies it".into()),
    }
}
