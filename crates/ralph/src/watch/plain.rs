//! `ralph watch` without a terminal: the lines of the console or published events, to the run's end.

use ralph_agents::live_event::Reporter;
use ralph_core::timeline::Timeline;
use ralph_engine::{follow::Follower, journal};

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
};

/// Follows a run from its beginning to its end.
pub(super) fn exec(
    watched: &Watched,
    args: &WatchArgs,
    context: &Context,
) -> Result<u8, CommandError> {
    let Watched { layout, run, .. } = watched;
    let out = Box::new(std::io::stdout());
    let mut reporter: Box<dyn Reporter> = if context.json {
        Box::new(Json::new(out, Timeline::default()))
    } else {
        let start = journal::recover(&layout.journal(run))?.state.start;
        let display = start.settings.display.clone();
        let options = Options { display, verbose: context.verbose, ..Options::default() };
        Box::new(Console::new(out, context.stdout(), options, Timeline::default()))
    };
    let mut follower = Follower::new(layout, run);
    replay::follow_to_end((layout, run), &mut follower, reporter.as_mut(), context)?;
    if !args.exit {
        return Ok(exit::DONE);
    }
    let state = journal::recover(&layout.journal(run))?.state;
    Ok(state.outcome().map_or(exit::UNFINISHED, |outcome| state.start.exit_code(outcome)))
}
