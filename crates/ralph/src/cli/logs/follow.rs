//! `ralph logs --follow`: the iteration under way as it happens, from any terminal. Reads only, and ends with the run.

use std::sync::Arc;

use ralph_agents::live_event::Reporter;
use ralph_core::{
    event::{Decision, Event},
    ids::RunId,
    timeline::Timeline,
};
use ralph_engine::{
    follow::Follower,
    journal::{self, Lock},
    layout::Layout,
};

use crate::{
    cli::{pause::nothing_runs, replay},
    context::Context,
    diagnostics::CommandError,
    exit,
    reporters::{
        console::{Console, Options},
        json::Json,
    },
    session::run_store::RunStore,
};

/// Follows the run that is active here to its end.
pub(crate) fn exec(place: &RunStore, context: &Context) -> Result<u8, CommandError> {
    let active = || Lock::peek(&place.layout.lock()).and_then(|owner| owner.run);
    let run = active().ok_or_else(nothing_runs)?;
    let (mut follower, mut reporter) = begin(&place.layout, &run, context)?;
    replay::follow_to_end((&place.layout, &run), &mut follower, reporter.as_mut(), context)?;
    Ok(exit::DONE)
}

/// All that was decided before the iteration under way is known and not shown.
fn begin(
    layout: &Layout,
    run: &RunId,
    context: &Context,
) -> Result<(Follower, Box<dyn Reporter>), CommandError> {
    let mut past: Vec<Arc<Decision>> = Vec::new();
    let take = |decision: Decision| past.push(Arc::new(decision));
    let (offset, _) = journal::read(&layout.journal(run), 0, 0, take)?;
    let seq = past.last().map_or(0, |last| last.seq + 1);
    let begins = past.iter().rposition(|decision| begins_iteration(decision));
    let shown = past.split_off(begins.unwrap_or_default());
    let mut timeline = Timeline::default();
    for decision in &past {
        timeline.apply(decision);
    }
    let out = Box::new(std::io::stdout());
    let mut reporter: Box<dyn Reporter> = if context.json {
        Box::new(Json::new(out, timeline))
    } else {
        let display = timeline.start().map(|start| start.settings.display.clone());
        let display = display.unwrap_or_default();
        let options = Options { display, verbose: context.verbose, ..Options::default() };
        Box::new(Console::new(out, context.stdout(), options, timeline))
    };
    let mut follower = Follower::after(layout, run, (offset, seq));
    let mut news = Vec::new();
    for decision in shown {
        follower.decided(decision, |one| news.push(one));
    }
    replay::feed(news, reporter.as_mut())?;
    Ok((follower, reporter))
}

fn begins_iteration(decision: &Decision) -> bool {
    decision.events.iter().any(|event| matches!(event, Event::IterationStarted(_)))
}
