//! `ralph fleet watch ID`: a loop on another machine, shown by the ralph of this one. The truth on the remote is
//! mirrored into a folder where `ralph watch` finds a run; what a person asks for there is sent to the loop.

mod inbox;
mod mirror;
mod view;

use std::{collections::VecDeque, io, time::Duration};

use tokio::signal::unix::{SignalKind, signal};

use self::{inbox::Forwarder, mirror::Mirror, view::View};
use super::{
    context::Context,
    patience::Patience,
    reach::{self, Reached},
    restart,
    result::{self, Ended},
    which_ralph,
};
use crate::{
    cli::WatchArgs,
    error::{CommandError, exit},
    print,
    wire::{Progress, Wish},
};

/// How often the truth and the inbox are looked at.
const LOOK: Duration = Duration::from_millis(500);

/// Runs `ralph fleet watch`. Whoever ends it ends its view too.
pub(super) async fn exec(args: &WatchArgs, context: &Context) -> Result<u8, CommandError> {
    let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::select! {
        shown = show(args, context) => shown,
        _ = term.recv() => Ok(exit::INTERRUPTED),
        _ = int.recv() => Ok(exit::INTERRUPTED),
    }
}

async fn show(args: &WatchArgs, context: &Context) -> Result<u8, CommandError> {
    let ralph = which_ralph::find(args.ralph.as_deref())?;
    let reached = Reached::new(&context.client().await?, &args.which.id);
    reached.describe().await?;
    let spec = restart::input(&reached).await?.spec;
    let mut mirror = Mirror::new(&spec.repo, &spec.branch)?;
    let mut forwarder = Forwarder::new(mirror.inbox());
    let patience = Patience::default();
    let mut ended = std::pin::pin!(result::after_all(&reached, &patience));
    let mut unsent = VecDeque::new();
    let mut view: Option<View> = None;
    let mut said = String::new();
    loop {
        let turn = tokio::time::timeout(LOOK, &mut ended).await;
        mirror = refreshed(mirror).await?;
        if view.is_none() && mirror.has_run() {
            let started = View::start(&ralph, &mirror.folder(), context)?;
            if started.has_screen() {
                patience.keep_quiet();
            }
            view = Some(started);
        }
        if let Ok(end) = turn {
            return leave(&mirror, view, (&reached, &end?), context).await;
        }
        let Some(view) = &mut view else {
            if !patience.is_away() {
                unless_away(tell_place(&reached, &mut said).await)?;
            }
            continue;
        };
        unsent.extend(forwarder.new_wishes(mirror.journal()));
        if !patience.is_away() {
            unless_away(send(&reached, &mut unsent).await)?;
        }
        if view.is_left()? {
            return Ok(exit::DONE);
        }
    }
}

/// A remote may take minutes to answer, and whoever ends the command does not wait for that.
async fn refreshed(mut mirror: Mirror) -> Result<Mirror, CommandError> {
    let looked = tokio::task::spawn_blocking(move || mirror.refresh().map(|()| mirror));
    looked.await.unwrap_or_else(|error| Err(io::Error::other(error).into()))
}

/// A server that is away is waited for where the loop's end is waited for.
fn unless_away(done: Result<(), CommandError>) -> Result<(), CommandError> {
    done.or_else(|error| if error.is_away() { Ok(()) } else { Err(error) })
}

/// Sends what was not sent yet, in order. What does not arrive is kept for the next time.
async fn send(reached: &Reached, unsent: &mut VecDeque<Wish>) -> Result<(), CommandError> {
    while let Some(wish) = unsent.front() {
        reached.wish(wish.clone()).await?;
        unsent.pop_front();
    }
    Ok(())
}

/// The loop has ended: what is left of its journal is shown, then its exit code is given.
async fn leave(
    mirror: &Mirror,
    view: Option<View>,
    (reached, ended): (&Reached, &Ended),
    context: &Context,
) -> Result<u8, CommandError> {
    mirror.let_go()?;
    if let Some(view) = view {
        view.finish().await?;
    }
    if !context.printer.is_json {
        result::say(reached, ended, context)?;
    }
    Ok(ended.exit())
}

/// Before there is a run to show: where the loop is, each time that changes.
async fn tell_place(reached: &Reached, said: &mut String) -> Result<(), CommandError> {
    let now = match reach::progress(&reached.describe().await?) {
        Some(Progress { host, phase, .. }) => format!("on {host}: {phase}"),
        None => {
            match reached.status().await?.and_then(|status| status.waiting.or(status.trouble)) {
                Some(why) => format!("waits: {why}"),
                None => "waiting for a worker".to_owned(),
            }
        }
    };
    if now != *said {
        print::note(&now)?;
        *said = now;
    }
    Ok(())
}
