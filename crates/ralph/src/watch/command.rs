//! `ralph watch [RUN] [DIR…]`: which run, and on which face.

use std::{
    io::IsTerminal as _,
    path::{Path, PathBuf},
};

use super::{app, plain, watched::Watched};
use crate::{args::commands::WatchArgs, context::Context, diagnostics::CommandError};

/// Runs `ralph watch`.
pub(crate) fn exec(args: &WatchArgs, context: &Context) -> Result<u8, CommandError> {
    let (run, folders) = named(args);
    let mut watched = Vec::new();
    if folders.is_empty() {
        watched.push(Watched::find(&context.project_dir, run)?);
    }
    for folder in folders {
        watched.push(Watched::find(&context.project_dir.join(folder), run)?);
    }
    let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let can_draw = is_terminal && std::env::var("TERM").is_ok_and(|term| term != "dumb");
    if context.json || !can_draw {
        return match &watched[..] {
            [one] => plain::exec(one, args, context),
            _ => Err(CommandError::usage(
                "several folders need a terminal",
                "name one folder, or run ralph watch on a terminal",
            )),
        };
    }
    app::exec(watched, args, context)
}

/// A first word that is a folder is no run.
fn named(args: &WatchArgs) -> (Option<&str>, Vec<&Path>) {
    let folders = args.folders.iter().map(PathBuf::as_path);
    match args.run.as_deref() {
        Some(word) if word.contains('/') || word == "." || Path::new(word).is_dir() => {
            (None, [Path::new(word)].into_iter().chain(folders).collect())
        }
        run => (run, folders.collect()),
    }
}
