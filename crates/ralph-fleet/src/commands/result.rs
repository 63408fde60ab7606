//! How a loop ended, as words and as an exit code.

use std::{collections::BTreeMap, time::Duration};

use serde_json::json;
use temporalio_client::{WorkflowGetResultOptions, errors::WorkflowGetResultError};

use super::{context::Context, patience::Patience, reach::Reached};
use crate::{
    error::{CommandError, chain, exit},
    print,
    wire::LoopEnd,
    words::count,
};

/// How often a loop that is waited for is looked at.
const LOOK: Duration = Duration::from_secs(5);

/// The end of a loop that the server knows.
pub(super) enum Ended {
    Said(LoopEnd),
    /// Without a word of its own: cancelled, terminated, or given up.
    Otherwise {
        how: &'static str,
        why: Vec<String>,
        exit: u8,
    },
}

impl Ended {
    pub(super) fn exit(&self) -> u8 {
        match self {
            Self::Said(end) => end.exit,
            Self::Otherwise { exit, .. } => *exit,
        }
    }
}

/// Waits until the loop has ended, however long that takes and however often the server goes away meanwhile.
pub(super) async fn after_all(
    reached: &Reached,
    patience: &Patience,
) -> Result<Ended, CommandError> {
    patience.ask(reached, async || of(reached).await).await
}

/// Waits until the loop has ended, or the server goes away.
pub(super) async fn of(reached: &Reached) -> Result<Ended, CommandError> {
    let ended = reached.handle.get_result(WorkflowGetResultOptions::default()).await;
    let otherwise = |how, why, exit| Ok(Ended::Otherwise { how, why, exit });
    match ended {
        Ok(end) => Ok(Ended::Said(end)),
        Err(WorkflowGetResultError::Failed(error)) => {
            otherwise("was given up", chain(error.as_ref()), exit::NEEDS_PERSON)
        }
        Err(WorkflowGetResultError::Cancelled { .. }) => {
            otherwise("was cancelled", Vec::new(), exit::UNFINISHED)
        }
        Err(WorkflowGetResultError::Terminated { .. }) => {
            otherwise("was terminated", Vec::new(), exit::UNFINISHED)
        }
        Err(WorkflowGetResultError::TimedOut) => {
            otherwise("ran out of time", Vec::new(), exit::UNFINISHED)
        }
        Err(WorkflowGetResultError::NotFound(_)) => Err(reached.unknown()),
        Err(error) => Err(CommandError::server(format!("cannot wait for {}", reached.id), &error)),
    }
}

/// Waits for the end, says how it was, and gives the loop's exit code.
pub(super) async fn wait(reached: &Reached, context: &Context) -> Result<u8, CommandError> {
    let patience = Patience::default();
    let mut ended = std::pin::pin!(after_all(reached, &patience));
    let mut said = None;
    let ended = loop {
        match tokio::time::timeout(LOOK, &mut ended).await {
            Ok(ended) => break ended?,
            // Whoever waits here is the one it waits for.
            Err(_) if !patience.is_away() => tell_wait(reached, &mut said).await?,
            Err(_) => {}
        }
    };
    say(reached, &ended, context)?;
    Ok(ended.exit())
}

/// What the loop waits for, each time that changes.
async fn tell_wait(reached: &Reached, said: &mut Option<String>) -> Result<(), CommandError> {
    let status = match reached.status().await {
        Err(error) if error.is_away() => return Ok(()),
        status => status?,
    };
    let why = status.and_then(|status| status.waiting.or(status.trouble));
    if let Some(why) = why.as_ref().filter(|why| Some(*why) != said.as_ref()) {
        let id = &reached.id;
        print::note(&format!("waits: {why}; ralph fleet status {id} shows more"))?;
    }
    *said = why;
    Ok(())
}

/// Where hosts keep work for a person.
pub(super) fn kept(by_host: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let all = by_host.iter().flat_map(|(host, places)| places.iter().map(move |at| (host, at)));
    all.map(|(host, at)| format!("  work that is not on the remote is kept on {host} in {at}"))
        .collect()
}

/// Says how a loop ended.
pub(super) fn say(reached: &Reached, ended: &Ended, context: &Context) -> Result<(), CommandError> {
    let id = &reached.id;
    let printer = context.printer;
    match ended {
        Ended::Said(end) if printer.is_json => {
            print::answer_json(&json!({ "v": 1, "loop": id, "outcome": end.outcome,
            "exit": end.exit, "stints": end.stints, "iterations": end.iterations, "done": end.done, "tasks": end.tasks,
            "weaker": end.weaker, "kept": end.kept }))
        }
        Ended::Otherwise { how, why, exit } if printer.is_json => print::answer_json(
            &json!({ "v": 1, "loop": id, "outcome": how, "why": why, "exit": exit }),
        ),
        Ended::Said(end) => {
            print::answer(&format!(
                "{id} ended: {} ({} of {} tasks, {} in {}), exit {}",
                end.outcome,
                end.done,
                end.tasks,
                count(end.iterations, "iteration"),
                count(end.stints, "stint"),
                end.exit
            ))?;
            let weaker = end.weaker.iter().map(|one| format!("  ! {one}"));
            weaker.chain(kept(&end.kept)).try_for_each(|line| print::answer(&line))?;
            say_how_it_continues(id, end.exit, context)
        }
        Ended::Otherwise { how, why, exit } => {
            print::answer(&format!("{id} {how}, exit {exit}"))?;
            why.iter().try_for_each(|line| print::note(&format!("  {line}")))?;
            say_how_it_continues(id, *exit, context)
        }
    }
}

/// What to type if work is left; a plan or a setting that is wrong is submitted anew.
fn say_how_it_continues(id: &str, exit: u8, context: &Context) -> Result<(), CommandError> {
    let has_work_left = matches!(exit, exit::UNFINISHED | exit::NEEDS_PERSON | exit::AGENT);
    if has_work_left {
        context.printer.next(&format!("ralph fleet resume {id}"))?;
    }
    Ok(())
}
