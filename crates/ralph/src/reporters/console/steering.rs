//! Lines about what a person says to the agents, and about pauses.

use ralph_core::{
    event::{Decision, Event},
    time::Millis,
    vocabulary::Steer,
};

use crate::reporters::{
    block::{Block, Entry},
    cells::Cell,
    clock,
    line::{Line, Sign, Tone},
    tally::Pause,
};

/// What is said while nothing starts.
const PAUSED: &str = "paused by a person; ralph resume goes on";

/// What an event looks like. `was`: the pause before it; on a live screen the line at the bottom says that one
/// goes on.
pub(super) fn shown(event: &Event, decision: &Decision, (was, is_live): (Pause, bool)) -> Block {
    match event {
        Event::Steered { word, ends_call } => vec![steered(word, *ends_call)],
        Event::PauseRequested { ends_call: true } => {
            vec![neutral("pausing now: the agent is asked to end, its work is kept")]
        }
        Event::PauseRequested { ends_call: false } => {
            let pauses = decision.events.iter().any(|event| matches!(event, Event::Paused));
            if pauses {
                Vec::new()
            } else {
                vec![neutral("pausing after this iteration, as asked")]
            }
        }
        Event::Paused if is_live => Vec::new(),
        Event::Paused => vec![Entry::led(Line::signed(Sign::Waiting), PAUSED)],
        Event::Unpaused => {
            let stops =
                decision.events.iter().any(|event| matches!(event, Event::StopRequested { .. }));
            match was.since {
                _ if stops => Vec::new(),
                Some(since) => {
                    let took = decision.at.since(since);
                    vec![neutral(&format!("goes on after a pause of {took}"))]
                }
                None => vec![neutral("the pause is called off")],
            }
        }
        _ => Vec::new(),
    }
}

fn neutral(text: &str) -> Entry {
    Entry::led(Line::signed(Sign::Neutral), text)
}

fn steered(word: &Steer, ends_call: bool) -> Entry {
    let about = word.task.as_ref().map(|task| format!(" {task}")).unwrap_or_default();
    let when = if ends_call { ", the call begins again with it" } else { "" };
    let lead = Line::signed(Sign::Neutral).add(Tone::Bold, format!("steered{about}"));
    Entry::led(lead.plain(format!("{when}: ")), &word.text)
}

/// The live line while nothing starts.
pub(super) fn cells(so_far: Millis) -> Vec<Cell> {
    let what = Line::signed(Sign::Waiting).add(Tone::Warn, PAUSED);
    let since = Line::new().dim(format!(" · {}", clock::running(so_far)));
    vec![Cell::kept(what), Cell::ranked(2, since)]
}
