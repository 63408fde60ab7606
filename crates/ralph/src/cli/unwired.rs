//! The seams to the engine that are not sewn yet: each builds what it will hand over, then says so.

use std::path::Path;

use ralph_core::{news::Reporter, settings::Display};

use super::{
    args::{ConfigCommand, GateCommand, UndoArgs},
    context::Context,
    run_args::{ResumeArgs, RunOptions, RunRequest},
};
use crate::{
    diagnostics::{CommandError, Told},
    exit,
    reporters::{
        console::{Console, Options, Progress},
        fan_out::FanOut,
        json::Json,
        session_log::SessionLog,
        tally::Tally,
    },
};

/// Every face of a run: console on stderr, wire events on stdout if asked for, session log in a file.
pub(crate) fn faces(
    context: &Context,
    (display, progress): (Display, Progress),
    session_log: Option<&Path>,
    past: &Tally,
) -> Result<FanOut, CommandError> {
    let options = Options {
        display,
        progress,
        verbose: context.verbose,
    };
    let screen = context.stderr();
    let stderr = Box::new(std::io::stderr());
    let console = Console::new(stderr, screen, options, past.clone());
    let mut faces: Vec<Box<dyn Reporter>> = vec![Box::new(console)];
    if context.json {
        let stdout = Box::new(std::io::stdout());
        faces.push(Box::new(Json::new(stdout, past.clone())));
    }
    if let Some(path) = session_log {
        let file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(|source| CommandError::File {
                doing: "write",
                path: path.to_owned(),
                source,
            })?;
        faces.push(Box::new(SessionLog::new(Box::new(file), past.clone())));
    }
    Ok(FanOut::start(faces)?)
}

/// `run` and `prompt`.
pub(crate) fn run(
    request: &RunRequest,
    options: &RunOptions,
    context: &Context,
) -> Result<u8, CommandError> {
    let display = Display::default();
    let faces = faces(
        context,
        (display, options.show_progress),
        None,
        &Tally::default(),
    )?;
    faces.finish();
    Err(not_yet(&format!("{request:?}")))
}

/// `resume`.
pub(crate) fn resume(args: &ResumeArgs, context: &Context) -> Result<u8, CommandError> {
    Err(not_yet(&format!("{args:?} {:?}", context.config)))
}

/// `undo`.
pub(crate) fn undo(args: &UndoArgs, _context: &Context) -> Result<u8, CommandError> {
    Err(not_yet(&format!("{args:?}")))
}

/// `gate`.
pub(crate) fn gate(command: &GateCommand, _context: &Context) -> Result<u8, CommandError> {
    Err(not_yet(&format!("{command:?}")))
}

/// `config`.
pub(crate) fn config(command: &ConfigCommand, _context: &Context) -> Result<u8, CommandError> {
    Err(not_yet(&format!("{command:?}")))
}

fn not_yet(asked: &str) -> CommandError {
    CommandError::Told(Told {
        what: "this command is not wired to the engine in this build".into(),
        why: vec![format!("understood: {asked}")],
        help: "use a build in which it is".into(),
        exit: exit::BUG,
    })
}
