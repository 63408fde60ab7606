//! `ralph stop [--now]`: asks the running loop, through the inbox.

use ralph_core::input::Wish;
use ralph_engine::{inbox, journal::Lock};

use crate::command_line::{args::StopArgs, context::Context};
use crate::session::place::Place;
use crate::{
    diagnostics::CommandError,
    exit,
    reporters::{
        block::Entry,
        line::{Line, Sign},
    },
};

/// Runs `ralph stop`.
pub(crate) fn exec(args: &StopArgs, context: &Context) -> Result<u8, CommandError> {
    let place = Place::find(&context.project_dir)?;
    let owner = Lock::current(&place.layout.lock()).ok_or(CommandError::NothingRuns)?;
    let wish = if args.now { Wish::StopNow } else { Wish::Stop };
    inbox::put(&place.layout, &wish).map_err(|source| CommandError::File {
        doing: "write to",
        path: place.layout.inbox(),
        source,
    })?;
    let run = owner.run.map(|run| format!("run {run} ")).unwrap_or_default();
    let when = if args.now { "stops now" } else { "stops after this iteration" };
    context
        .tell(&[Entry::led(Line::signed(Sign::Ok), format!("{run}(pid {}) {when}", owner.pid))])?;
    Ok(exit::DONE)
}
