//! `ralph watch` without a terminal: the lines of the console or published events, to the run's end.

use ralph_agents::live_event::Reporter;
use ralph_core::{ids::RunId, timeline::Timeline};
use ralph_engine::{
    follow::Follower,
    journal::{self, Lock},
    layout::Layout,
};

use super::watched::Watched;
use crate::{
    args::commands::WatchArgs,
    cli::replay,
    context::Context,
    diagnostics::CommandError,
    exit,
    reporters::{
        console::{Console, Options},
        json::Json,
    },
    session::notifier::Notifications,
};

/// Follows a run from its beginning to its end.
pub(super) fn exec(
    watched: &Watched,
    args: &WatchArgs,
    context: &Context,
) -> Result<u8, CommandError> {
    let Watched { layout, run, .. } = watched;
    let out = Box::new(std::io::stdout());
    let owner = Lock::peek(&layout.lock());
    let is_elsewhere = owner.is_some_and(|owner| owner.elsewhere().is_some());
    let mut before = Timeline::default();
    before.is_elsewhere = is_elsewhere;
    let mut reporter: Box<dyn Reporter> = if context.json {
        Box::new(Json::new(out, before))
    } else {
        let start = journal::recover(&layout.journal(run))?.state.start;
        let display = start.settings.display.clone();
        let options = Options { display, verbose: context.verbose, ..Options::default() };
        Box::new(Console::new(out, context.stdout(), options, before))
    };
    let mut follower = Follower::new(layout, run);
    let place = (layout, run);
    let has_died = replay::follow_to_end(place, &mut follower, reporter.as_mut(), context)?;
    if args.notify && has_died {
        tell(layout, run, context)?;
    }
    if !args.exit {
        return Ok(exit::DONE);
    }
    let state = journal::recover(&layout.journal(run))?.state;
    Ok(state.outcome().map_or(exit::UNFINISHED, |outcome| state.start.exit_code(outcome)))
}

/// Tells the run's channels that its process is gone, and waits until they were told.
fn tell(layout: &Layout, run: &RunId, context: &Context) -> Result<(), CommandError> {
    let timeline = Timeline::of_state(journal::recover(&layout.journal(run))?.state);
    let death = Notifications::died(&timeline, layout)?;
    for text in death.into_iter().flat_map(|death| death.finish(false)) {
        context.warn(text)?;
    }
    Ok(())
}
