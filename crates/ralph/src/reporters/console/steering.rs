//! Lines about what a person says to the agents, and about pauses.

use ralph_core::{
    event::{Decision, Event},
    time::{Millis, Timestamp},
    vocabulary::Steer,
};

use crate::reporters::{
    block::{Block, Entry},
    cells::Cell,
    clock,
    line::{Line, Sign, Tone},
};

/// What is said while nothing starts.
const PAUSED: &str = "paused; ralph resume continues it";

/// What an event looks like. `since` is when the pause before it began; on a live screen the line at the bottom
/// says that the run is paused. One on another machine is not continued here.
pub(super) fn shown(
    event: &Event,
    decision: &Decision,
    (since, is_live, is_elsewhere): (Option<Timestamp>, bool, bool),
) -> Block {
    match event {
        Event::Steered { word, ends_call } => vec![steered(word, *ends_call)],
        Event::PauseRequested { ends_call: true } => {
            vec![Entry::signed(
                Sign::Neutral,
                "pausing now: the agent is asked to end, its work is kept",
            )]
        }
        Event::PauseRequested { ends_call: false } => {
            let pauses = decision.events.iter().any(|event| matches!(event, Event::Paused));
            if pauses {
                Vec::new()
            } else {
                vec![Entry::signed(Sign::Neutral, "pausing after this iteration, as asked")]
            }
        }
        Event::Paused if is_live => Vec::new(),
        Event::Paused if is_elsewhere => vec![Entry::signed(Sign::Waiting, "paused")],
        Event::Paused => vec![Entry::signed(Sign::Waiting, PAUSED)],
        Event::Unpaused => {
            let stops =
                decision.events.iter().any(|event| matches!(event, Event::StopRequested { .. }));
            match since {
                _ if stops => Vec::new(),
                Some(since) => {
                    let took = decision.at.since(since);
                    vec![Entry::signed(
                        Sign::Neutral,
                        format!("continuing after a pause of {took}"),
                    )]
                }
                None => vec![Entry::signed(Sign::Neutral, "pause cancelled")],
            }
        }
        _ => Vec::new(),
    }
}

fn steered(word: &Steer, ends_call: bool) -> Entry {
    let about = word.task.as_ref().map(|task| format!(" {task}")).unwrap_or_default();
    let when = if ends_call { ", restarting the call with it" } else { "" };
    let lead = Line::signed(Sign::Neutral).add(Tone::Bold, format!("steered{about}"));
    Entry::led(lead.plain(format!("{when}: ")), &word.text)
}

/// The live line while nothing starts.
pub(super) fn cells(so_far: Millis) -> Vec<Cell> {
    let what = Line::signed(Sign::Waiting).add(Tone::Warn, PAUSED);
    let since = Line::new().dim(format!(" · {}", clock::running(so_far)));
    vec![Cell::kept(what), Cell::ranked(2, since)]
}
