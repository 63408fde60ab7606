//! `ralph fleet watch ID`: a loop on another machine, shown by the ralph of this one. The truth on the remote is
//! mirrored into a folder where `ralph watch` finds a run; what a person asks for there is sent to the loop.

mod inbox;
mod mirror;
mod view;

use std::time::Duration;

use self::{inbox::Forwarder, mirror::Mirror, view::View};
use super::{
    context::Context,
    reach::{self, Reached},
    restart,
    result::{self, Ended},
    which_ralph,
};
use crate::{
    cli::WatchArgs,
    error::{CommandError, exit},
    print,
};

/// How often the truth and the inbox are looked at.
const LOOK: Duration = Duration::from_millis(500);

/// Runs `ralph fleet watch`.
pub(super) async fn exec(args: &WatchArgs, context: &Context) -> Result<u8, CommandError> {
    let ralph = which_ralph::find(args.ralph.as_deref())?;
    let reached = Reached::new(&context.client().await?, &args.which.id);
    reached.describe().await?;
    let spec = restart::input(&reached).await?.spec;
    let mut mirror = Mirror::new(&spec.repo, &spec.branch)?;
    let mut forwarder = Forwarder::new(mirror.inbox());
    let mut ended = std::pin::pin!(result::of(&reached));
    let mut view: Option<View> = None;
    let mut said = String::new();
    loop {
        let turn = tokio::time::timeout(LOOK, &mut ended).await;
        mirror.refresh()?;
        if view.is_none() && mirror.has_run() {
            view = Some(View::start(&ralph, &mirror.folder(), context)?);
        }
        if let Ok(end) = turn {
            return leave(&mut mirror, view, (&reached, &end?), context);
        }
        let Some(view) = &mut view else {
            tell_place(&reached, &mut said).await?;
            continue;
        };
        for wish in forwarder.new_wishes(mirror.journal()) {
            reached.wish(wish).await?;
        }
        if view.is_left()? {
            return Ok(exit::DONE);
        }
    }
}

/// The loop has ended: what is left of its journal is shown, then its exit code is given.
fn leave(
    mirror: &mut Mirror,
    view: Option<View>,
    (reached, ended): (&Reached, &Ended),
    context: &Context,
) -> Result<u8, CommandError> {
    mirror.let_go()?;
    if let Some(view) = view {
        view.finish()?;
    }
    if !context.printer.is_json {
        result::say(reached, ended, context)?;
    }
    Ok(ended.exit())
}

/// Before there is a run to show: where the loop is, each time that changes.
async fn tell_place(reached: &Reached, said: &mut String) -> Result<(), CommandError> {
    let progress = reach::progress(&reached.describe().await?);
    let now = progress.map_or_else(
        || "waits for a worker".to_owned(),
        |progress| {
            format!("on {}: {}", print::harmless(&progress.host), print::harmless(&progress.phase))
        },
    );
    if now != *said {
        print::note(&now)?;
        *said = now;
    }
    Ok(())
}
